package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.StoredTime;
import io.pigeonhole.core.time.SystemTime;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at messages and decides about them: for consoles, commands and programs. Safe for use by many threads, on any node
 * or on none; what it changes holds for all nodes at once.
 *
 * <p>Every change is one transaction in which who, when and why are written too, and answers with what really happened.
 * A crash leaves all of it or nothing. Nothing waits for longer than a few seconds: what a transaction elsewhere holds is
 * answered with {@link Answer.Kind#BUSY}, and nothing is changed.
 *
 * <p>Every method throws {@link UnknownConsumerException} where a consumer is named that is not registered, and
 * {@link io.pigeonhole.core.failure.StoreUnavailableException} where the database cannot be reached. Where the connection
 * was lost during a commit the change may have been made: {@linkplain #show look} before you repeat it. Repeating does no
 * harm, it answers that there is nothing to be changed.
 */
public final class Admin {
    /** How many dead letters a bulk requeue moves in one transaction. */
    public static final int PART = 500;

    private final AdminStore store;

    private Admin(AdminStore store) {
        this.store = store;
    }

    /**
     * An admin of the messages in a store.
     *
     * @param store the store
     * @return the admin
     */
    public static Admin of(AdminStore store) {
        return new Admin(store);
    }

    /**
     * How all consumers are doing.
     *
     * @return the consumers by name, at one moment
     */
    public List<ConsumerSummary> consumers() {
        return store.consumers();
    }

    /**
     * How much the store holds, and how far its retention has come: for gauges and alarms.
     *
     * @return the database's estimates; cheap enough to be asked every minute
     */
    public Sizes sizes() {
        return store.sizes();
    }

    /**
     * The key of a message, for those who know where it came from and its id. A consumer by {@link Deduplication#WATERMARKS} knows
     * its messages by their places in the log, and none by its id: take the key from {@link #work} or {@link #deadLetters}.
     *
     * @param consumer the consumer's name
     * @param source the logical name of where it came from
     * @param id the producer's id
     * @return the key under which the consumer would know it, whether there is such a message or not. Where its id holds a time that
     *     lies ahead, the key in digest form if the consumer knows it by that one
     * @throws IllegalArgumentException if the consumer deduplicates by {@link Deduplication#WATERMARKS}
     */
    public MessageKey keyOf(String consumer, String source, MessageId id) {
        Objects.requireNonNull(consumer, "the consumer");
        Objects.requireNonNull(source, "the source");
        Objects.requireNonNull(id, "the id");
        List<RegisteredConsumer> all =
                consumers().stream().map(ConsumerSummary::consumer).toList();
        RegisteredConsumer found = all.stream()
                .filter(registered -> registered.name().equals(consumer))
                .findAny()
                .orElseThrow(() -> new UnknownConsumerException(
                        consumer, all.stream().map(RegisteredConsumer::name).toList()));
        if (found.deduplication() == Deduplication.WATERMARKS) {
            throw new IllegalArgumentException("consumer '" + consumer + "' deduplicates by " + found.deduplication()
                    + " and knows no message by its id; take the key from the lists of its work and its dead letters");
        }
        MessageKey key = found.keys().keyOf(source, id);
        if (!key.isTimeForm() || key.epochMillis() < SystemTime.clock().millis()) {
            return key;
        }
        MessageKey digestKey = KeyScheme.digestKeyOf(source, id);
        return store.show(consumer, digestKey).isPresent() ? digestKey : key;
    }

    /**
     * Unfinished messages, in the order of arrival.
     *
     * @param filter which
     * @param page which part. Messages that come or go between two pages make no other appear twice or not at all
     * @return the page
     */
    public Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return store.work(filter, page);
    }

    /**
     * Dead letters, those that died last first.
     *
     * @param filter which
     * @param page which part. Letters that come or go between two pages make no other appear twice or not at all
     * @return the page
     */
    public Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return store.deadLetters(filter, page);
    }

    /**
     * Everything that is known of a message, with its bytes.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @return what is known; nothing where neither work, dead letters, ledger nor audit have the key
     */
    public Optional<MessageDetails> show(String consumer, MessageKey key) {
        return store.show(consumer, key);
    }

    /**
     * The ordering keys whose messages wait, and for what.
     *
     * @param consumer the consumer's name
     * @param limit how many at most, from 1 to {@value PageRequest#MOST}
     * @return those with the most messages waiting first; none for a consumer without an order
     */
    public List<BlockedKey> blockedKeys(String consumer, int limit) {
        PageRequest.checkLimit(limit);
        return store.blockedKeys(consumer, limit);
    }

    /**
     * What people did with a consumer and its messages.
     *
     * @param consumer the consumer's name
     * @param page which part
     * @return the changes, the last first
     */
    public Page<AuditEntry> audit(String consumer, PageRequest page) {
        return store.audit(consumer, page);
    }

    /**
     * Makes a message that waits for another attempt due. A worker takes it next, unless its ordering key is blocked by a
     * message before it. Its attempts stay counted.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done; unchanged where it is due already; leased; not found where it is not in work; or busy
     */
    public Answer retryNow(String consumer, MessageKey key, Author by) {
        return store.retryNow(consumer, key, by);
    }

    /**
     * Takes a lease away, for a node that hangs or is known to be dead. The message is due at once, the attempt that had
     * begun is noted as failed, and whoever had the lease cannot finish the message any more. What its handler does
     * elsewhere nobody can take back: if it still runs, the next attempt may run beside it. If that was the last
     * attempt of its policy, there is no next, and it becomes a dead letter.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done; not leased; not found where it is not in work; or busy
     */
    public Answer releaseLease(String consumer, MessageKey key, Author by) {
        return store.releaseLease(consumer, key, by);
    }

    /**
     * Decides that a message is never to be processed. It is removed from work, even where a node has a lease on it, or
     * from the dead letters; its bytes are gone. The ledger keeps its key, so that another delivery is a duplicate. A dead
     * letter that was never claimed has no key in the ledger: its next delivery is judged anew. The same goes for a message
     * that was requeued although it was late.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param by who, and why
     * @return done; not found; or busy
     */
    public Answer discard(String consumer, MessageKey key, Author by) {
        return store.discard(consumer, key, by);
    }

    /**
     * Puts a dead letter back to work: due at once, in its old place in the order of arrival, so that it comes before those
     * that wait behind it, and with a new beginning for its retry policy. A letter that was never claimed, such as one
     * without an id, is claimed in the same transaction. A conflict takes effect beside the other message with its id.
     *
     * @param consumer the consumer's name
     * @param key the message's key
     * @param options only whether a late one is requeued; a single message is due at once
     * @param by who, and why
     * @return done; duplicate, where its message was accepted since: the letter is removed; late, from the future or refused,
     *     where it stays dead; not found where it is no dead letter; or busy
     */
    public Answer requeue(String consumer, MessageKey key, Requeue options, Author by) {
        return store.requeue(consumer, key, options.evenIfLate(), by);
    }

    /**
     * Counts the dead letters that {@link #requeue(Selection, Requeue, Author)} would look at, and changes nothing.
     *
     * @param filter which
     * @return the selection: letters that die from now on, by the database's clock, are not among them
     */
    public Selection select(DeadLetterFilter filter) {
        return store.select(filter, null);
    }

    /**
     * The same with a cutoff of an earlier selection, such as to see what is left of it.
     *
     * @param filter which
     * @param cutoff only those that died then or before
     * @return the selection
     */
    public Selection select(DeadLetterFilter filter, Instant cutoff) {
        return store.select(filter, StoredTime.nearest(cutoff));
    }

    /**
     * Puts all dead letters of a selection back to work, those that died first at first, {@value #PART} in a transaction.
     * With a rate, the times at which they are due are written with them: when this returns, nothing has to stay alive. If
     * the process dies on the way, or something is busy, the rest is still dead and the same call goes on; a rate then
     * begins anew. Where the database does not take one of the messages as work, its part goes back one by one, and that one is
     * refused. Letters of the reason {@link io.pigeonhole.core.failure.DeadReason#CONFLICT} are left out, unless the selection is of that reason:
     * each would take effect beside another message with its id. Of {@link Requeue#atMost} those that are refused or left out are none: behind
     * them it goes on with the next.
     *
     * @param selection which letters; those that died after its cutoff stay
     * @param options how
     * @param by who, and why
     * @return how many were moved, removed, refused and left out
     */
    public RequeueReport requeue(Selection selection, Requeue options, Author by) {
        RequeueReport report = RequeueReport.NOTHING;
        @Nullable Cursor after = null;
        @Nullable Instant firstDue = null;
        long left = options.atMost();
        int oneByOne = 0;
        while (left > 0) {
            int limit = (int) Math.min(left, oneByOne > 0 ? 1 : PART);
            Optional<RequeuedPart> done;
            try {
                done = store.requeue(selection, after, limit, options, firstDue, by);
            } catch (StoreException e) {
                if (limit == 1 || (e.errorClass() != ErrorClass.MESSAGE && e.errorClass() != ErrorClass.PERMANENT)) {
                    throw e;
                }
                // Work does not take one of them: it is found by itself, and the others go on.
                oneByOne = limit;
                continue;
            }
            oneByOne--;
            if (done.isEmpty()) {
                return report.stopped(
                        "a transaction elsewhere holds one of the letters or work partitions; call again to go on");
            }
            RequeuedPart part = done.get();
            report = report.with(part);
            left -= part.looked() - part.refused() - part.conflicts();
            if (part.looked() < limit || part.last() == null) {
                break;
            }
            after = part.last();
            firstDue = part.nextDue() == null ? firstDue : part.nextDue();
        }
        return report;
    }

    /**
     * Lets an ordering key go on without the message that blocks it. A message that waits for another attempt goes to the
     * dead letters as {@linkplain io.pigeonhole.core.failure.DeadReason#SKIPPED skipped}; a dead letter stays one and blocks
     * no longer. What is behind it may be blocked by the next; call again, or look at {@link #blockedKeys}.
     *
     * @param consumer the consumer's name
     * @param orderingKey the key
     * @param by who, and why
     * @return done; leased, where the lease must be released first; unchanged where the first message has not failed and is
     *     due: it only waits for a worker; not found where no message of the key is there to block it; or busy
     */
    public Answer unblock(String consumer, OrderingKey orderingKey, Author by) {
        return store.unblock(consumer, orderingKey, by);
    }

    /**
     * Pauses a consumer: no node claims, takes or leases its messages until somebody resumes it, restarts included. What
     * is being worked on is finished. Leases that run out are still noticed. Claims that callers make in transactions of their own
     * ({@link io.pigeonhole.core.inbox.Inbox#claim}) go on.
     *
     * @param consumer the consumer's name
     * @param by who, and why
     * @return done; unchanged where it was paused already; or busy
     */
    public Answer pause(String consumer, Author by) {
        return store.pause(consumer, true, by);
    }

    /**
     * Resumes a consumer.
     *
     * @param consumer the consumer's name
     * @param by who, and why
     * @return done; unchanged where it was not paused; or busy
     */
    public Answer resume(String consumer, Author by) {
        return store.pause(consumer, false, by);
    }

    /**
     * Changes how a consumer deduplicates: from IDS to HYBRID, from HYBRID to WATERMARKS, and back the same way. The consumer
     * has to be paused, and programs that still deduplicate as before have to be stopped, every one: they refuse to start again,
     * and what they have read of logs they cannot commit any more. But one that deduplicates by IDS and goes on is not refused,
     * and what it does takes effect again by WATERMARKS. When to go from HYBRID on is said in the guide to Kafka; too early it
     * costs duplicates.
     *
     * @param consumer the consumer's name
     * @param deduplication how it does from now on
     * @param by who, and why
     * @return done; unchanged; refused where the consumer is not paused, or where HYBRID has to come between; or busy
     */
    public Answer deduplicateBy(String consumer, Deduplication deduplication, Author by) {
        return store.deduplicateBy(consumer, deduplication, by);
    }

    /**
     * Forgets the positions of a consumer in the log of a source, after the log was made anew: its partitions are taken as
     * ones never seen, from the beginning or the end as their source is set, whatever the broker remembers. Whoever has one
     * of them now has to be started again. What of the old log was not processed is lost to this consumer, and what is
     * processed of the new one is what it holds, even if a copy of it was processed before.
     *
     * @param consumer the consumer's name
     * @param source the source of the log's messages
     * @param by who, and why
     * @return done; not found where it has no positions there; or busy
     */
    public Answer forgetWatermarks(String consumer, String source, Author by) {
        return store.forgetWatermarks(consumer, source, by);
    }

    /**
     * Confirms that the store's clock is right. After an outage, or a jump of the clock, ages count from where they were, and
     * catch up slowly: what comes again must meet its key. From now on they count from what the clock says, and all that is
     * past its time by it is deleted, for good: look at the clock first, and see that no source has
     * a backlog from before the outage. What was stored, parked or leased while the clock was more than a minute ahead waits as
     * if the clock had been right. The change is in the audit, with an empty name instead of a consumer's.
     *
     * @param by who, and why
     * @return done; unchanged where ages count from there already; or busy
     */
    public Answer confirmClock(Author by) {
        return store.confirmClock(by);
    }
}
