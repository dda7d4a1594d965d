package io.pigeonhole.core.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One delivery, or one message in work, on its way through the engine. What a transaction proposes for it becomes its
 * outcome at the commit.
 */
final class Envelope {
    /** The longest id in bytes; enough for 1,000 characters of any script. */
    static final int LONGEST_ID = 4096;

    private final Message message;
    private MessageKey key;
    private final @Nullable Unusable unusable;
    private final @Nullable WorkItem item;
    private final @Nullable LogPartition partition;
    private final boolean byLedger;
    private @Nullable Outcome proposed;
    private @Nullable Outcome outcome;
    private @Nullable MessageKey boundary;
    private @Nullable MessageKey endOfLedger;
    private @Nullable String heldBack;
    private boolean setAside;
    private boolean taken;

    private Envelope(
            Message message,
            MessageKey key,
            @Nullable Unusable unusable,
            @Nullable WorkItem item,
            @Nullable LogPartition partition,
            boolean byLedger) {
        this.message = message;
        this.key = key;
        this.unusable = unusable;
        this.item = item;
        this.partition = partition;
        this.byLedger = byLedger;
    }

    /**
     * The envelope of a delivery.
     *
     * @throws ConfigurationException if the consumer needs the message's place in a log, and it has none
     */
    static Envelope of(Message message, RegisteredConsumer consumer) {
        LogPartition partition = partitionOf(message, consumer);
        Unusable unusable = MessageChecks.unusableDelivery(message, consumer);
        if (unusable != null) {
            return new Envelope(message, keyOfDelivery(message), unusable, null, partition, false);
        }
        boolean byLedger = consumer.deduplication() != Deduplication.WATERMARKS;
        MessageId id = byLedger ? message.id() : null;
        MessageKey key = consumer.keys().keyOf(message.source(), id != null ? id : placeOf(message));
        return new Envelope(message, key, null, null, partition, byLedger);
    }

    /**
     * What a message without an id is recognised by. The ledger may have it: from a time in which the consumer deduplicated by
     * ids that a source made of places.
     */
    private static MessageId placeOf(Message message) {
        return Objects.requireNonNull(message.logPosition()).toId();
    }

    private static @Nullable LogPartition partitionOf(Message message, RegisteredConsumer consumer) {
        if (!consumer.deduplication().needsLog()) {
            return null;
        }
        LogPosition position = message.logPosition();
        if (position == null) {
            throw new ConfigurationException("consumer '" + consumer.name() + "' deduplicates by "
                    + consumer.deduplication() + ", which needs to know where a log keeps a message; " + message
                    + " comes from no log. Take messages from Kafka with it, or give them to a consumer by IDS");
        }
        return new LogPartition(message.source(), position.partition());
    }

    static Envelope of(WorkItem item) {
        return new Envelope(item.message(), item.key(), null, item, null, false);
    }

    /**
     * What distinguishes one delivery of an unusable message from the next, and never makes one of two messages: the place,
     * what was sent, and the id where there is one, be it as long as it may. The headers take part only where the source
     * says so by a fingerprint, as some brokers change them from one delivery to the next.
     */
    private static MessageKey keyOfDelivery(Message message) {
        String origin = message.origin();
        String place = origin != null ? origin : UUID.randomUUID().toString();
        MessageId id = message.id();
        place += partOfPlace(" id ", message, id == null ? null : id.toBytes());
        place += partOfPlace(" key ", message, message.orderingKey());
        place += message.isTombstone() ? " tombstone" : "";
        String fingerprint = message.fingerprint();
        place += partOfPlace(" fingerprint ", message, fingerprint == null ? null : fingerprint.getBytes(UTF_8));
        return KeyScheme.keyOfOrigin(message.source(), place, message.payload());
    }

    private static String partOfPlace(String name, Message message, byte @Nullable [] bytes) {
        return bytes == null
                ? ""
                : name + KeyScheme.keyOfOrigin(message.source(), "", bytes).toUuid();
    }

    Message message() {
        return message;
    }

    MessageKey key() {
        return key;
    }

    /** Its id holds no time after all: from here on it is known by its key in digest form. Before any transaction has begun. */
    void takeDigestKey(MessageKey digestKey) {
        this.key = digestKey;
    }

    /** Why the message cannot even be claimed; null where it can. */
    @Nullable
    Unusable unusable() {
        return unusable;
    }

    /** The partition that a delivery was read from, where the consumer deduplicates by it. */
    @Nullable
    LogPartition partition() {
        return partition;
    }

    /** Whether the ledger decides if a delivery is new. */
    boolean byLedger() {
        return byLedger;
    }

    /** Where the message is in work; null for a delivery. */
    @Nullable
    WorkItem item() {
        return item;
    }

    /** Which attempt this is, from 1. A lease has counted it already. */
    int attempt() {
        if (item == null) {
            return 1;
        }
        return item.byLease() ? item.attempts() : item.attempts() + 1;
    }

    /** The same as the retry policy counts, since the message was last given a new beginning. */
    int attemptForPolicy() {
        return item == null ? 1 : Math.max(1, attempt() - item.retriedAttempts());
    }

    Duration age() {
        return item == null ? Duration.ZERO : item.age();
    }

    /** What the outcome will be if this transaction commits; null to leave the message as it is. */
    void propose(@Nullable Outcome outcomeAfterCommit) {
        this.proposed = outcomeAfterCommit;
        this.boundary = null;
        this.endOfLedger = null;
    }

    /** What was proposed last. */
    @Nullable
    Outcome proposed() {
        return proposed;
    }

    /** The message is older than the ledger. */
    void noteLate(MessageKey oldest) {
        this.boundary = oldest;
    }

    /** The key at which the ledger begins; null unless the message is late. */
    @Nullable
    MessageKey boundary() {
        return boundary;
    }

    /** The message is of a day behind this end of the ledger. */
    void noteEndOfLedger(MessageKey newest) {
        this.endOfLedger = newest;
    }

    /** The end of the ledger that it was found to be behind; null unless it is from the future. */
    @Nullable
    MessageKey endOfLedger() {
        return endOfLedger;
    }

    /** It must not be claimed, as its work partition or a message that it must not overtake is busy. False where that was so before. */
    boolean holdBack(String why) {
        boolean first = heldBack == null;
        heldBack = first ? why : heldBack;
        return first;
    }

    /** Why it must not be claimed; null for most. */
    @Nullable
    String heldBack() {
        return heldBack;
    }

    /** It begins anew with others: who holds it back is found out again. */
    void release() {
        heldBack = null;
    }

    /** Makes it busy for its own sake: it belongs to a flood, or the database refuses to keep it, and nobody else is at it. */
    void setAside(String why) {
        propose(new Outcome.Busy(why));
        setAside = true;
    }

    /** Whether it is busy for its own sake. */
    boolean isSetAside() {
        return setAside;
    }

    /** Whether the present transaction has taken it from work as it was before. */
    void noteTaken(boolean isTaken) {
        taken = isTaken;
    }

    /** Whether nobody else has taken it from work, as of the last transaction. */
    boolean isTaken() {
        return taken;
    }

    /** The transaction is committed. Answers null where it left the message as it was. */
    @Nullable
    Outcome settle() {
        if (proposed == null && item == null) {
            throw new IllegalStateException(message + " was in a committed transaction that decided nothing about it");
        }
        outcome = proposed;
        return proposed;
    }

    boolean hasOutcome() {
        return outcome != null;
    }

    Outcome outcome() {
        if (outcome == null) {
            throw new IllegalStateException(message + " has no outcome yet");
        }
        return outcome;
    }
}
