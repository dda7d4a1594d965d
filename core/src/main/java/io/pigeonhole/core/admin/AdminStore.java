package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A database as {@link Admin} needs it. Safe for use by many threads.
 *
 * <p>A read sees one moment and locks nothing. A change is one transaction, with its entry in the audit; what was refused
 * leaves none. It locks what it changes as the engine does, and answers {@link Answer.Kind#BUSY} instead of waiting for
 * longer than a few seconds. A crash leaves all of it or nothing.
 *
 * <p>Every method throws {@link UnknownConsumerException} where a consumer is named that is not registered, and
 * {@link io.pigeonhole.core.failure.PigeonholeException} where the database refused or cannot be reached. Where the
 * connection was lost during the commit of a change, it may have been made: look before you repeat it.
 */
public interface AdminStore {
    /**
     * How all consumers are doing.
     *
     * @return the consumers by name
     */
    List<ConsumerSummary> consumers();

    /**
     * How much the store holds, and how far its retention has come.
     *
     * @return the database's estimates; nothing is counted
     */
    Sizes sizes();

    /**
     * Unfinished messages, in the order of arrival.
     *
     * @param filter which
     * @param page which part
     * @return the page
     */
    Page<WorkEntry> work(WorkFilter filter, PageRequest page);

    /**
     * Dead letters, those that died last first.
     *
     * @param filter which
     * @param page which part
     * @return the page
     */
    Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page);

    /**
     * Counts dead letters.
     *
     * @param filter which
     * @param cutoff only those that died then or before; null for now, by the database's clock
     * @return the selection with the cutoff and the count
     */
    Selection select(DeadLetterFilter filter, @Nullable Instant cutoff);

    /**
     * Everything that is known of a message.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @return what is known, or nothing
     */
    Optional<MessageDetails> show(String consumer, MessageKey key);

    /**
     * The ordering keys whose messages wait, and for what.
     *
     * @param consumer the consumer's name
     * @param limit how many at most, from 1 to {@value PageRequest#MOST}
     * @return those with the most messages waiting first
     */
    List<BlockedKey> blockedKeys(String consumer, int limit);

    /**
     * What people did.
     *
     * @param consumer the consumer's name
     * @param page which part
     * @return the changes, the last first
     */
    Page<AuditEntry> audit(String consumer, PageRequest page);

    /**
     * Makes a message that waits for another attempt due.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done, unchanged where it is due already, leased, not found or busy
     */
    Answer retryNow(String consumer, MessageKey key, Author by);

    /**
     * Takes a lease away: the message is parked and due, the attempt that had begun is noted as failed, and a newer fencing
     * token keeps its holder from finishing it.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done, not leased, not found or busy
     */
    Answer releaseLease(String consumer, MessageKey key, Author by);

    /**
     * Removes a message from work, whoever has a lease on it, or from the dead letters. What the ledger knows stays.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done, not found or busy
     */
    Answer discard(String consumer, MessageKey key, Author by);

    /**
     * Puts a dead letter back to work, due, in its old place in the order of arrival and with a new beginning for its retry
     * policy. One that the ledger does not have is claimed first.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param evenIfLate whether it goes back to work without a claim where it is older than the ledger
     * @param by who, and why
     * @return done, duplicate, late, from the future, refused, not found or busy
     */
    Answer requeue(String consumer, MessageKey key, boolean evenIfLate, Author by);

    /**
     * Does the same for some of a selection, in one transaction, the oldest first.
     *
     * @param selection which letters
     * @param after the last letter that an earlier part looked at; null to begin
     * @param limit how many letters at most, from 1 to {@value Admin#PART}
     * @param options how: their interval, and whether late ones are requeued; the limit is the parameter's
     * @param firstDue when the first message is due; null for now, by the database's clock
     * @param by who, and why
     * @return what was done; empty where something was busy, and nothing was done
     * @throws io.pigeonhole.core.failure.StoreException of the class MESSAGE or PERMANENT where work does not take one of several
     *     letters; a single one is counted as refused
     */
    Optional<RequeuedPart> requeue(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by);

    /**
     * Lets an ordering key go on without the message that blocks it.
     *
     * @param consumer the consumer's name
     * @param orderingKey the key
     * @param by who, and why
     * @return done, leased, unchanged where the first message only waits for a worker, not found where there is none, or busy
     */
    Answer unblock(String consumer, OrderingKey orderingKey, Author by);

    /**
     * Pauses a consumer on all nodes, or resumes it.
     *
     * @param consumer the consumer's name
     * @param paused whether it is paused from now on
     * @param by who, and why
     * @return done, unchanged or busy
     */
    Answer pause(String consumer, boolean paused, Author by);

    /**
     * Changes how a consumer deduplicates, and takes all partitions of logs away from those who have them.
     *
     * @param consumer the consumer's name
     * @param deduplication how it does from now on
     * @param by who, and why
     * @return done, unchanged, refused or busy
     */
    Answer deduplicateBy(String consumer, Deduplication deduplication, Author by);

    /**
     * Forgets the positions of a consumer in the log of a source, and takes its partitions away from those who have them.
     *
     * @param consumer the consumer's name
     * @param source the source of the log's messages
     * @param by who, and why
     * @return done, not found where there is none, or busy
     */
    Answer forgetWatermarks(String consumer, String source, Author by);

    /**
     * Sets the {@link io.pigeonhole.core.store.RetentionClock} to what the store's clock says. The entry in the audit has an
     * empty consumer.
     *
     * @param by who, and why
     * @return done, unchanged where it says so already, or busy
     */
    Answer confirmClock(Author by);
}
