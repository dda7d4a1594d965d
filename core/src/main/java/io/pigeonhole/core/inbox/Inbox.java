package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The transactional inbox of one consumer: whatever a broker delivers, however often, takes effect in the database exactly
 * once. The claim of the message, the writes of its handler and what is remembered of it commit in one transaction.
 *
 * <p>Safe for use by many threads; each call works on the calling thread, in transactions of its own. A process that dies
 * during a call leaves either nothing of a transaction or all of it, and the redelivery of its messages settles which.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class Inbox<C extends HandlerContext> {
    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final InboxEngine<C> engine;
    private final Worker<C> worker;
    private final RunningBatches running;
    private final WorkSignal signal;
    private final Handler<Message, C> ownHandlers;

    Inbox(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            EngineSettings settings,
            InboxEngine<C> engine,
            Worker<C> worker,
            RunningBatches running,
            WorkSignal signal,
            Handler<Message, C> ownHandlers) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.engine = engine;
        this.worker = worker;
        this.running = running;
        this.signal = signal;
        this.ownHandlers = ownHandlers;
    }

    /**
     * Begins an inbox.
     *
     * @param consumer the logical name of the consumer: messages are deduplicated within it, so that two consumers of one
     *     message do not disturb each other. Stable for ever
     * @param store where it keeps its messages
     * @param <C> the context that the store hands to handlers
     * @return a builder with the standard settings
     */
    public static <C extends HandlerContext> InboxBuilder<C> builder(String consumer, InboxStore<C> store) {
        return new InboxBuilder<>(consumer, store);
    }

    /**
     * The logical name of the consumer.
     *
     * @return the name
     */
    public String consumer() {
        return consumer.name();
    }

    /**
     * Whether this inbox keeps its messages in a store. What a node asks, which works on one store.
     *
     * @param other a store
     * @return whether it is the very store that this inbox was built with
     */
    public boolean isOf(InboxStore<?> other) {
        return store == other;
    }

    /**
     * Processes one delivery in a transaction of its own.
     *
     * @param message the message
     * @return what became of it
     * @throws io.pigeonhole.core.failure.RetryableException if nothing was decided: do not acknowledge, hand it in again
     */
    public Outcome process(Message message) {
        return process(List.of(message)).get(0);
    }

    /**
     * Processes many deliveries, in one transaction as long as none of them fails. Messages that share an ordering key
     * should be handed in by one thread at a time, in their order.
     *
     * <p>A handler that is interrupted has failed as with any other exception. An interrupt that comes before the call, or
     * that a handler leaves behind, reaches no other handler; the calling thread has it again when the call returns.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException if of some nothing was decided: acknowledge none, hand all of
     *     them in again; those that were committed are then told as duplicates
     */
    public List<Outcome> process(List<Message> messages) {
        return Interrupts.ofCaller(() -> engine.process(messages, settings.reception()));
    }

    /**
     * The same on a thread whose owner may have to end it, such as one of a source. A handler that fails after the owner
     * has begun to end the thread, and then interrupted it, fails nothing: nothing is decided about the messages. An
     * interrupt that comes without that is none of the owner's and is cleared.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @param ending whether the owner ends this thread; begins to answer true before he interrupts it
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException as {@link #process(List)}, and where the thread is ended
     */
    public List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
        return Interrupts.ofOwner(ending, () -> engine.process(messages, settings.reception()));
    }

    /**
     * Stores a delivery for the workers, without running its handler now.
     *
     * @param message the message
     * @return what became of it, {@link Outcome.Received} where it is new
     * @throws io.pigeonhole.core.failure.RetryableException if nothing was decided: do not acknowledge, hand it in again
     */
    public Outcome receive(Message message) {
        return receive(List.of(message)).get(0);
    }

    /**
     * Stores many deliveries for the workers, without running their handlers now. Once this returns they are durable and
     * may be acknowledged; a node that has this inbox, or {@link #work()}, does the rest.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException if of some nothing was decided: acknowledge none, hand all of
     *     them in again
     */
    public List<Outcome> receive(List<Message> messages) {
        return Interrupts.ofCaller(() -> engine.process(messages, Reception.STORE));
    }

    /**
     * Works on everything that is due now, on the calling thread: what was received, what is due for another attempt, what
     * needs a lease, leases that have run out. For tests, and for programs without a {@link io.pigeonhole.core.node.Node}.
     * Many threads and processes may do so at once; no message is worked on by two of them.
     *
     * @return how many messages were brought to an outcome
     * @throws io.pigeonhole.core.failure.RetryableException if the database is away, or others were in the way too often;
     *     what was committed stays, call again
     */
    public int work() {
        return Interrupts.ofCaller(this::workOnAll);
    }

    private int workOnAll() {
        int total = 0;
        int before;
        do {
            before = total;
            for (Backlog.Due due : store.due(List.of(consumer))) {
                if (due.in().isZero()) {
                    total += work(due);
                }
            }
        } while (total > before);
        return total;
    }

    /**
     * Works on one thing that is due, on the calling thread: at most one batch, in one transaction as long as nothing in it
     * fails. What a node does again and again.
     *
     * @param due what the store said is due for this consumer
     * @return how many messages were taken; 0 where there is nothing (any more), where it is blocked, or where somebody else
     *     is at work on it
     * @throws io.pigeonhole.core.failure.RetryableException if nothing could be committed; call again
     */
    public int work(Backlog.Due due) {
        return Interrupts.ofCaller(() -> worker.work(due));
    }

    /**
     * The same on a thread whose owner may have to end it, as of {@link #process(List, BooleanSupplier)}.
     *
     * @param due what the store said is due for this consumer
     * @param ending whether the owner ends this thread; begins to answer true before he interrupts it
     * @return how many messages were taken, as {@link #work(Backlog.Due)}
     * @throws io.pigeonhole.core.failure.RetryableException if nothing could be committed, or the thread is ended
     */
    public int work(Backlog.Due due, BooleanSupplier ending) {
        return Interrupts.ofOwner(ending, () -> worker.work(due));
    }

    /**
     * Reports the batches that have been in work for longer than {@link InboxBuilder#slowBatch}, each once. What a node does
     * every second.
     */
    public void reportSlowBatches() {
        running.report();
    }

    /**
     * Lets the leases run out that some threads work under. What works under one of them cannot finish any more; its attempt
     * has failed when the lease has run out. What a node does when it is closed with handlers that do not end: with its own
     * threads, as another node of this process may work on the same inbox. New leases can be taken afterwards.
     *
     * @param workers which threads
     */
    public void stopLeases(Predicate<Thread> workers) {
        worker.stopLeases(workers);
    }

    /**
     * The threads that hang in a handler under a lease: it was interrupted because it took too long
     * ({@link InboxBuilder#externalTimeout}), its lease has run out since, and it has not returned. What a node asks, to replace them.
     *
     * @return the threads that called {@link #work(Backlog.Due, BooleanSupplier)}, each with the message that it is at
     */
    public Map<Thread, Message> hangingThreads() {
        return worker.hanging();
    }

    /**
     * Has a listener called, on the committing thread, when this inbox has stored messages that the workers are to work on, so
     * that they need not wait for their next look. All listeners are called; they should return at once. It is a hint: a process
     * that dies before it could tell loses nothing, as a look into the store finds the messages.
     *
     * @param listener learns in which lanes they are and when they are due, counted from now. A lane may be named that has
     *     nothing to do, and the same one with more than one time
     * @return ends it: from then on the listener is not called
     */
    public Runnable whenWorkIsStored(Consumer<Set<Backlog.Due>> listener) {
        return signal.tell(listener);
    }

    /**
     * Notes that this process begins at a position, to recognise a message at which processes die again and again.
     *
     * @param start with what, where, and who begins. It may be noted again where the answer was lost, and counts once
     * @return how many times in a row it was begun there and not {@linkplain #ended ended}; hand it on as {@link Message#deliveries()}
     * @throws io.pigeonhole.core.store.ConsumerPausedException if the consumer is paused, so that nothing can be begun; nothing was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    public int started(Start start) {
        return store.started(consumer, start);
    }

    /**
     * Notes that this process, which {@linkplain #started began} at a position, has left it in good order: its beginning is
     * counted no more. What is not noted, because the process died, stays counted.
     *
     * @param start as it was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    public void ended(Start start) {
        store.ended(consumer, start);
    }

    /**
     * Notes that this process has left behind what may have ended those that {@linkplain #started began} there before it: neither
     * they nor it are counted any more. Where somebody else has begun since, only this process is counted no more.
     *
     * @param start as it was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    public void survived(Start start) {
        store.survived(consumer, start);
    }

    /**
     * The consumer as the database remembers it, for those who ask the store about it.
     *
     * @return the registered consumer
     */
    public RegisteredConsumer registered() {
        return consumer;
    }

    /**
     * The handlers of this inbox without its deduplication: each message goes to the handler of its type, in whatever
     * transaction its context is of. For a replay that is a recovery; the effects happen again.
     *
     * @return a handler that is safe for use by many threads as far as the inbox's handlers are. It throws what they throw,
     *     and a {@link io.pigeonhole.core.failure.PermanentFailure} where the type has no handler, or an external one
     */
    public Handler<Message, C> ownHandlers() {
        return ownHandlers;
    }

    /**
     * Claims a message in the caller's own transaction, without a handler: when it answers true, the caller does the work
     * and commits both. No retry, no parking: a failure of the work rolls the claim back with it.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is new, false if it is a duplicate
     * @throws ConfigurationException if the consumer deduplicates by watermarks only, or a duplicate could not be recognised at
     *     the isolation level of the caller's transaction
     * @throws PigeonholeException if the message has no usable id, or its id is older than the ledger or of a day that it
     *     does not have yet: nothing was claimed
     * @throws io.pigeonhole.core.store.StoreException if the database refused; roll back
     */
    public boolean claim(Message message, Ledger ledger) {
        if (consumer.deduplication() == Deduplication.WATERMARKS) {
            throw new ConfigurationException("consumer '" + consumer.name()
                    + "' deduplicates by WATERMARKS and has no ledger to claim a message in");
        }
        return DuplicateCheck.claim(ledger, consumer, keyOf(message));
    }

    /**
     * Whether a message was accepted before, as far as the caller's transaction can see. A look-up for people and reports:
     * another transaction may be about to accept it, so that only {@link #claim} decides.
     *
     * @param message the message; it needs an id
     * @param ledger the ledger as seen from the caller's transaction, from the store
     * @return true if the message is processed, parked or dead
     * @throws PigeonholeException if the message has no usable id
     */
    public boolean contains(Message message, Ledger ledger) {
        return ledger.contains(consumer, keyOf(message));
    }

    /**
     * Takes a partition of a log, as a source does when it is assigned to it: whoever had it before cannot commit anything of
     * it any more. To be called before the first message of an assignment is handed in, with every assignment anew.
     *
     * <p>A message whose assignment is not the newest, or that expects the watermark beyond where it is (the database has lost
     * commits), is {@link Outcome.Busy} until it is given up. Whoever still has the partition then acquires it anew and reads
     * on from the position; {@link #watermarks} tells when that is needed.
     *
     * <p>Where the watermark {@linkplain Watermark#hasPosition() has a position}, the source goes on there. Where it has none,
     * the source decides where to begin and calls {@link #beginAt} before it hands anything in.
     *
     * @param partition what, with the source that the messages will have
     * @param log the identity of the log, other for one that was made anew under the same name
     * @return where to go on, and the {@linkplain Watermark#assignment() assignment} that the messages must name
     * @throws ConfigurationException if the stored position is that of another log, or the consumer deduplicates otherwise:
     *     somebody has to decide
     * @throws PigeonholeException if the database refused or cannot be reached; try again
     */
    public Watermark acquire(LogPartition partition, String log) {
        return store.acquire(consumer, partition, log);
    }

    /**
     * Fixes where a partition without a position begins. Once this returns, a crash does not move the beginning any more.
     *
     * @param watermark the partition as it was acquired, without a position
     * @param offset the offset of the first message to take
     * @return the watermark with the position
     * @throws PigeonholeException if somebody else has acquired the partition, or the database refused or cannot be reached:
     *     acquire it anew
     */
    public Watermark beginAt(Watermark watermark, long offset) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            transaction.advance(consumer, List.of(new Advance(watermark, offset, watermark.leaderEpoch())));
            transaction.commit();
        }
        return new Watermark(
                watermark.partition(), watermark.log(), watermark.assignment(), offset, watermark.leaderEpoch());
    }

    /**
     * Reads where partitions of logs are now, as the database says.
     *
     * @param partitions distinct, at least one
     * @return those that the database knows, in no special order
     * @throws PigeonholeException if the consumer is paused, or the database refused or cannot be reached
     */
    public List<Watermark> watermarks(Collection<LogPartition> partitions) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            return transaction.watermarks(consumer, partitions);
        }
    }

    /**
     * Asks whether the inbox's database can be used now.
     *
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if it cannot
     */
    public void probe() {
        store.probe();
    }

    /**
     * Asks whether the inbox takes messages now, by a claim that is rolled back: not while its consumer is paused, nor while the
     * database answers and refuses to write. For sources whose broker counts deliveries: what is delivered in vain brings a
     * message closer to its limit. {@link #probe} is cheaper, and enough where nothing is delivered because of the answer. Not
     * worth its write where there is nothing to take messages from, such as for a queue that does not exist.
     *
     * @throws PigeonholeException if it takes none, with the reason; ask again later
     */
    public void probeClaim() {
        engine.probeClaim();
    }

    private MessageKey keyOf(Message message) {
        MessageId id = message.id();
        if (id == null) {
            throw new PigeonholeException(message + " cannot be told from a duplicate; give it an id", null);
        }
        if (id.length() > Envelope.LONGEST_ID) {
            throw new PigeonholeException(
                    "the message's id has " + id.length() + " bytes, the limit is " + Envelope.LONGEST_ID, null);
        }
        return consumer.keys().keyOf(message.source(), id);
    }
}
