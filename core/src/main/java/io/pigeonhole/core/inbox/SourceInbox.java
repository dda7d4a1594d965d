package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a source needs of an inbox: hand deliveries in, ask whether it takes any, and where the broker is a log, own partitions and
 * recognise messages at which processes die. From {@link Inbox#forSources}; safe for use by many threads.
 */
public interface SourceInbox {
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
     * Processes many deliveries as {@link Inbox#process(List)}, on a thread whose owner may have to end it. A handler that fails
     * after the owner has begun to end the thread, and then interrupted it, fails nothing: nothing is decided about the messages.
     * An interrupt that comes without that is none of the owner's and is cleared.
     *
     * @param messages the messages in the order of arrival, maybe none, duplicates allowed
     * @param ending whether the owner ends this thread; begins to answer true before he interrupts it
     * @return what became of each, in the same order
     * @throws io.pigeonhole.core.failure.RetryableException as {@link Inbox#process(List)}, and where the thread is ended
     */
    List<Outcome> process(List<Message> messages, BooleanSupplier ending);

    /**
     * Asks whether the inbox's database can be used now.
     *
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if it cannot
     */
    void probe();

    /**
     * Asks whether the inbox takes messages now, by a claim that is rolled back: not while its consumer is paused, nor while the
     * database answers and refuses to write. For brokers that count deliveries: what is delivered in vain brings a
     * message closer to its limit. {@link #probe} is cheaper, and enough where nothing is delivered because of the answer. Not
     * worth its write where there is nothing to take messages from, such as for a queue that does not exist.
     *
     * @throws PigeonholeException if it takes none, with the reason; ask again later
     */
    void probeClaim();

    /**
     * Why the inbox holds messages back: very many were late or from the future, or the database refuses to take one that it names. They
     * fill what a source may have unfinished, and then nothing flows; a broker that counts deliveries may throw away what stays for
     * long. So it is a problem of the source, until the inbox holds none back.
     *
     * @return a sentence, for some seconds after messages were handed in and held back; otherwise null
     */
    @Nullable
    String heldBack();

    /**
     * Has a listener called when the handler of a message handed in here hangs: it was interrupted, because it took longer than ten times
     * {@link InboxBuilder#handlerTimeout}, and has not returned. Whoever owns the thread can go on with another: the messages of that
     * call are stored for the workers when they are handed in again, and everything else goes on. What the thread still does counts
     * for nothing, unless its transaction is alive. Called by the thread on which the node looks after its batches, again every second while it hangs.
     *
     * @param listener is given the thread that hangs, whose it may be or not; answers false where it is the listener's own and no other
     *     thread takes its place, so that the node's health names its batch
     * @return ends it: from then on the listener is not called
     */
    Runnable whenHandlerHangs(Predicate<Thread> listener);

    /**
     * Notes that this process begins at a position, to recognise a message at which processes die again and again.
     *
     * @param start with what, where, and who begins. It may be noted again where the answer was lost, and counts once
     * @return how many times in a row it was begun there and not {@linkplain #ended ended}; hand it on as {@link Message#deliveries()}
     * @throws io.pigeonhole.core.failure.ConsumerPausedException if the consumer is paused, so that nothing can be begun; nothing was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    int started(Start start);

    /**
     * Notes that this process, which {@linkplain #started began} at a position, has left it in good order: its beginning is
     * counted no more. What is not noted, because the process died, stays counted.
     *
     * @param start as it was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    void ended(Start start);

    /**
     * Notes that this process has left behind what may have ended those that {@linkplain #started began} there before it: neither
     * they nor it are counted any more. Where somebody else has begun since, only this process is counted no more.
     *
     * @param start as it was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    void survived(Start start);

    /**
     * Takes a partition of a log, which was assigned to the source: whoever had it before cannot commit anything of
     * it any more. To be called before the first message of an assignment is handed in, with every assignment anew.
     *
     * <p>A message whose assignment is not the newest, or that expects the watermark beyond where it is (the database has lost
     * commits), is {@link Outcome.Busy} until it is given up. Whoever still has the partition then acquires it anew and reads
     * on from the position; {@link #watermarks} shows when that is needed.
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
    Watermark acquire(LogPartition partition, String log);

    /**
     * Fixes where a partition without a position begins. Once this returns, a crash does not move the beginning any more.
     *
     * @param watermark the partition as it was acquired, without a position
     * @param offset the offset of the first message to take
     * @return the watermark with the position
     * @throws PigeonholeException if somebody else has acquired the partition, or the database refused or cannot be reached:
     *     acquire it anew
     */
    Watermark beginAt(Watermark watermark, long offset);

    /**
     * Reads where partitions of logs are now, as the database says.
     *
     * @param partitions distinct, at least one
     * @return those that the database knows, in no special order
     * @throws PigeonholeException if the consumer is paused, or the database refused or cannot be reached
     */
    List<Watermark> watermarks(Collection<LogPartition> partitions);
}
