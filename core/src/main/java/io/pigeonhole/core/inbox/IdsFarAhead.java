package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ids that only look as if they held a time, such as random ones that happen to have the digits of a UUIDv7. One whose time lies
 * more than {@link #DISTANCE} ahead is none, and its message is known by its key in digest form.
 *
 * <p>That lets no duplicate through, although the form depends on when it is asked. A key in time form is accepted only within the
 * ledger's days, and these end a few days ahead. An id that was accepted in digest form comes so near only after
 * {@link #DISTANCE}, less these few days. By then its window is over, since no window is longer than 366 days. Until
 * then whoever meets it looks for its key in digest form first.
 *
 * <p>The machine's clock only says whose key is looked for. Where it is ahead, an id becomes a dead letter from the future; where it is
 * behind, more questions are asked than need be.
 *
 * <p>Safe for use by many threads.
 */
final class IdsFarAhead {
    /** Longer than the longest window by more than the days that a ledger has ahead. */
    static final Duration DISTANCE = Duration.ofDays(400);

    /** No clock of a producer is so far ahead that is worth a dead letter with a time in it. */
    private static final Duration NEAR = Duration.ofDays(30);

    /** The end of the ledger moves once a day. */
    private static final long ANSWER_HOLDS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private final Function<List<MessageKey>, Answer> ledger;
    private final Supplier<MessageKey> endOfLedger;
    private @Nullable MessageKey end;
    private long askedAt;

    /**
     * What the ledger says of some keys.
     *
     * @param known those that it has
     * @param busy those that a transaction elsewhere has claimed, or asks about as well: nobody knows yet
     * @param refused those that the database says nothing about, though it does about others, each with the refusal
     */
    record Answer(Set<MessageKey> known, Set<MessageKey> busy, Map<MessageKey, StoreException> refused) {}

    /**
     * Deliveries whose form is not known: whoever guesses it accepts a message twice, once in each form.
     *
     * @param busy as somebody else is at work on their key
     * @param refused as the database refuses to say, each with its refusal
     */
    record Undecided(List<Envelope> busy, Map<Envelope, StoreException> refused) {
        static final Undecided NONE = new Undecided(List.of(), Map.of());
    }

    /**
     * For one inbox.
     *
     * @param nanos as {@link System#nanoTime}
     * @param ledger is asked about keys in digest form, in ascending order
     * @param endOfLedger creates missing days and says where the ledger ends; throws where it could not, as whoever guesses that makes a
     *     dead letter of a message that is valid
     */
    IdsFarAhead(LongSupplier nanos, Function<List<MessageKey>, Answer> ledger, Supplier<MessageKey> endOfLedger) {
        this.nanos = nanos;
        this.ledger = ledger;
        this.endOfLedger = endOfLedger;
    }

    /**
     * Gives those among the deliveries their key in digest form that are to be known by it. Asks nothing for all others.
     *
     * @return those whose form is not known
     */
    Undecided takeDigestKeys(List<Envelope> deliveries) {
        List<Envelope> ahead = new ArrayList<>(0);
        for (Envelope envelope : deliveries) {
            if (envelope.byLedger() && isAhead(envelope.key())) {
                ahead.add(envelope);
            }
        }
        return ahead.isEmpty() ? Undecided.NONE : takeDigestKeysOf(ahead);
    }

    /** Several may have one id: a log gives each delivery of a message a place of its own. */
    private Undecided takeDigestKeysOf(List<Envelope> ahead) {
        List<MessageKey> digestKeys =
                ahead.stream().map(envelope -> digestKeyOf(envelope.message())).toList();
        List<MessageKey> distinct = digestKeys.stream().distinct().sorted().toList();
        Answer answer = ledger.apply(distinct);
        List<Envelope> busy = new ArrayList<>(0);
        Map<Envelope, StoreException> refused = new LinkedHashMap<>(0);
        for (int i = 0; i < ahead.size(); i++) {
            Envelope envelope = ahead.get(i);
            MessageKey digestKey = digestKeys.get(i);
            StoreException refusal = answer.refused().get(digestKey);
            if (refusal != null) {
                refused.put(envelope, refusal);
            } else if (answer.busy().contains(digestKey)) {
                busy.add(envelope);
            } else if (answer.known().contains(digestKey) || isFarAhead(envelope.key())) {
                envelope.takeDigestKey(digestKey);
            }
        }
        return new Undecided(busy, refused);
    }

    /** Where the ledger ends need not be asked for those that are nearer than that even if it ended now. */
    private boolean isFarAhead(MessageKey key) {
        return key.epochMillis() - now() >= DISTANCE.toMillis() && isFarAhead(key, end());
    }

    private synchronized MessageKey end() {
        MessageKey known = end;
        if (known == null || nanos.getAsLong() - askedAt > ANSWER_HOLDS) {
            long asking = nanos.getAsLong();
            known = endOfLedger.get();
            askedAt = asking;
            end = known;
        }
        return known;
    }

    /** The key in digest form that a message would have whose id is known by its time as yet; null where there is none. */
    static @Nullable MessageKey otherKeyOf(Envelope envelope) {
        return envelope.byLedger() && isAhead(envelope.key()) ? digestKeyOf(envelope.message()) : null;
    }

    /** The same for one message that a program looks for in its own transaction. */
    static boolean isKnownByDigestKey(Ledger ledger, RegisteredConsumer consumer, Message message, MessageKey key) {
        return isAhead(key) && ledger.contains(consumer, digestKeyOf(message));
    }

    /** The key in digest form of a message that has an id. */
    static MessageKey digestKeyOf(Message message) {
        return KeyScheme.digestKeyOf(message.source(), Objects.requireNonNull(message.id()));
    }

    /** Whether a key's time lies so far ahead that it may be none. */
    private static boolean isAhead(MessageKey key) {
        return key.isTimeForm() && key.epochMillis() - now() >= NEAR.toMillis();
    }

    /** Whether a key's time is none, where the ledger ends at another key. */
    static boolean isFarAhead(MessageKey key, MessageKey end) {
        return end.isTimeForm() && key.epochMillis() - Math.max(end.epochMillis(), now()) >= DISTANCE.toMillis();
    }

    private static long now() {
        return SystemTime.clock().millis();
    }
}
