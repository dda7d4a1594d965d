package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What a node needs of an inbox: work on what is due, and watch its batches and leases. From {@link Inbox#forNodes}; safe for use by
 * many threads.
 */
public interface NodeInbox {
    /** Hears how the work on a message under a lease goes, on the thread that works on it. */
    interface Progress {
        /** The lease is committed; the handler is called next. */
        default void leased() {}

        /**
         * The database is away, or refuses to commit what the handler has done: it is asked again while the lease lasts.
         *
         * @param failure what {@link NodeInbox#work} would throw
         */
        default void refused(RetryableException failure) {}
    }

    /**
     * The logical name of the consumer.
     *
     * @return the name
     */
    default String consumer() {
        return registered().name();
    }

    /**
     * The consumer as the database remembers it.
     *
     * @return the registered consumer
     */
    RegisteredConsumer registered();

    /**
     * Whether this inbox keeps its messages in a store. A node works on one store.
     *
     * @param other a store
     * @return whether it is the very store that this inbox was built with
     */
    boolean isOf(InboxStore<?> other);

    /**
     * Whether a message of any type has a handler. An inbox without one can take notes only ({@link Inbox#claim}).
     *
     * @return whether there is a handler, of a type or of every other
     */
    boolean hasHandlers();

    /**
     * What becomes of a message whose type has no handler when it is delivered.
     *
     * @return as set by {@link InboxBuilder#unknownType}
     */
    UnknownType unknownType();

    /**
     * Works on one thing that is due, on the calling thread, whose owner may have to end it, as of {@link SourceInbox#process}: at
     * most one batch, in one transaction as long as nothing in it fails.
     *
     * @param due what the store said is due for this consumer
     * @param ending whether the owner ends this thread; begins to answer true before he interrupts it
     * @param progress hears what becomes of a message under a lease, which may take long
     * @return how many messages were brought further; 0 where there is nothing (any more), where it is blocked, where somebody else
     *     is at work on it, or where a lease was lost, so that nothing was committed behind it
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database is away, or refuses to commit whatever it
     *     is, such as with a full disk
     * @throws io.pigeonhole.core.failure.RetryableException if nothing could be committed, or the thread is ended; call again
     */
    int work(Backlog.Due due, BooleanSupplier ending, Progress progress);

    /**
     * Whether there may be more to do behind a piece of work, so that it is asked for at once.
     *
     * @param due what was worked on
     * @param brought how many messages {@link #work} has brought further, more than 0
     * @return false where the next look finds it soon enough; true unless overridden
     */
    default boolean mayHaveMore(Backlog.Due due, int brought) {
        return true;
    }

    /**
     * Reports the batches that have been in work for longer than {@link InboxBuilder#slowBatch}, each once, and interrupts handlers that take
     * longer than ten times {@link InboxBuilder#handlerTimeout}. A node does so every second. Asks no database.
     */
    void lookAtBatches();

    /**
     * Looks for work whose handler has been away for twice as long as {@link InboxBuilder#handlerTimeout}, so that the database may have ended
     * its transaction: it is left for leases, under which each attempt counts, before others begin with it and hang as well. What an
     * open transaction still has is left alone. A node does so before it asks for work.
     */
    void leaseWhatHangs();

    /**
     * The batches that have been in work for longer than {@link InboxBuilder#slowBatch}: their handler does not return, most likely, and its
     * thread, and messages that wait for it, stand still. Without those whose thread hangs and is replaced.
     *
     * @return how long and on which thread, one text each, unmodifiable
     */
    List<String> slowBatches();

    /**
     * Logs at INFO how many deliveries and messages in work had which outcome since this was called last; nothing where there were none.
     * A node does so every ten minutes, and when it is closed.
     */
    void reportOutcomes();

    /**
     * Lets the leases run out that some threads work under. What works under one of them cannot finish any more; its attempt
     * has failed when the lease has run out. A node that is closed with handlers that do not end does so with its
     * own threads, as another node of this process may work on the same inbox. New leases can be taken afterwards.
     *
     * @param workers which threads
     */
    void stopLeases(Predicate<Thread> workers);

    /**
     * The threads that hang in a handler: it was interrupted because it took too long ({@link InboxBuilder#handlerTimeout},
     * {@link InboxBuilder#externalTimeout}), a lease has run out since, and it has not returned. A node replaces them.
     *
     * @return the threads that called {@link #work}, each with the message that it is at
     */
    Map<Thread, Message> hangingThreads();

    /**
     * Has a listener called, on the committing thread, when this inbox has stored messages that the workers are to work on, so
     * that they need not wait for their next look. All listeners are called; they should return at once. It is a hint: a process
     * that dies before it has called them loses nothing, as a look into the store finds the messages.
     *
     * @param listener learns in which work partitions they are and when they are due, counted from now. A work partition may be named that has
     *     nothing to do, and the same one with more than one time
     * @return ends it: from then on the listener is not called
     */
    Runnable whenWorkIsStored(Consumer<Set<Backlog.Due>> listener);
}
