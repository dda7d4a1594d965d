package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ClaimRefusedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes new deliveries from duplicates, and is the only class that does. A delivery is a duplicate
 *
 * <ol>
 *   <li>of one before it in the same call, which {@link Batch} finds and {@link #repetition} decides;
 *   <li>because the watermark of its partition is beyond it;
 *   <li>of one before it in the same transaction, where the same id comes from two places of a log;
 *   <li>because the ledger has its key, so that the claim of it does not succeed;
 *   <li>because its message is in work or a dead letter, where neither watermark nor ledger decides any more.
 * </ol>
 *
 * <p>For one transaction, and used by one thread: first {@link #claim}, then {@link #askForTheRest}, then {@link #standingOf} for
 * each delivery in its order. It decides nothing itself.
 */
final class DuplicateCheck {
    private static final String BUSY_ELSEWHERE = "another transaction is working on the same message";

    private final InboxTransaction<?> transaction;
    private final RegisteredConsumer consumer;
    private final List<Envelope> group;
    private final LogView log;
    private final Set<MessageKey> busyHere;
    private final Map<MessageKey, PayloadHash> hashes;
    private final Claimer claimer;
    /** Keys of this transaction so far, where one may come twice. */
    private final @Nullable Set<MessageKey> earlier;

    private Set<MessageKey> known = Set.of();
    private Set<MessageKey> conflicting = Set.of();

    /** What a delivery is. */
    enum Standing {
        NEW,
        DUPLICATE,
        /** Its id is that of another message. */
        CONFLICT,
        /** It must not be decided about now, see {@link #whyBusy}. */
        BUSY,
        /** It is neither new nor a duplicate as far as the ledger goes, see {@link #claimOf}. */
        OUTSIDE,
        /** It has no key to claim, see {@link Envelope#unusable}. */
        UNUSABLE
    }

    /**
     * A check for one transaction.
     *
     * @param group the deliveries; some of them may be {@linkplain Envelope#heldBack held back}
     * @param log the watermarks, as this transaction has read them
     * @param busyHere keys that other threads of this process have
     * @param comparePayloads whether a delivery with the id of another, but not its payload, is a conflict
     */
    DuplicateCheck(
            InboxTransaction<?> transaction,
            RegisteredConsumer consumer,
            List<Envelope> group,
            LogView log,
            Set<MessageKey> busyHere,
            boolean comparePayloads) {
        this.transaction = transaction;
        this.consumer = consumer;
        this.group = group;
        this.log = log;
        this.busyHere = busyHere;
        this.hashes = comparePayloads ? new HashMap<>() : Map.of();
        this.claimer = new Claimer(transaction, consumer, hashes, busyHere);
        this.earlier = consumer.deduplication() == Deduplication.HYBRID ? new HashSet<>(2 * group.size()) : null;
        if (comparePayloads) {
            group.stream()
                    .filter(this::isToBeClaimed)
                    .forEach(envelope -> hashes.putIfAbsent(envelope.key(), PayloadHash.of(envelope.message())));
        }
    }

    /** What becomes of a delivery that repeats one before it in the same call: it is a duplicate, unless both have to come again. */
    static Outcome repetition(Outcome ofFirst) {
        return ofFirst.settled() ? new Outcome.Duplicate() : ofFirst;
    }

    /**
     * Claims a message in the caller's own transaction; false if it is a duplicate.
     *
     * @throws ClaimRefusedException if it is outside the ledger's days, and nothing else says that it was accepted
     */
    static boolean claim(Ledger ledger, RegisteredConsumer consumer, Message message, MessageKey key) {
        if (IdsFarAhead.isKnownByDigestKey(ledger, consumer, message, key)) {
            return false;
        }
        Claim claim = ledger.claim(consumer, key);
        if (claim.claimed().contains(key)) {
            return true;
        }
        if (claim.isFromTheFuture(key) && IdsFarAhead.isFarAhead(key, claim.newest())) {
            MessageKey digestKey = IdsFarAhead.digestKeyOf(message);
            return ledger.claim(consumer, digestKey).claimed().contains(digestKey);
        }
        if (claim.isFromTheFuture(key) || (claim.isLate(key) && !ledger.contains(consumer, key))) {
            throw new ClaimRefusedException(
                    claim.isFromTheFuture(key) ? DeadReason.FROM_THE_FUTURE : DeadReason.LATE,
                    LedgerBounds.describe(key, claim) + ". Nothing was claimed: keep the message aside and look at it");
        }
        return false;
    }

    /** Whether a key that could not be claimed is outside the ledger's days, so that the ledger does not say that it has it. */
    static boolean isOutside(MessageKey key, Claim claim) {
        return claim.isLate(key) || claim.isFromTheFuture(key);
    }

    /**
     * Claims what may be new. Where that is nothing, and there are dead letters to be made of what is unusable, a key behind the ledger's end is
     * claimed, which writes nothing: only a claim is refused while the consumer is paused.
     *
     * @throws io.pigeonhole.core.failure.ConsumerPausedException if it is
     * @throws io.pigeonhole.core.failure.ClaimBlockedException if a transaction elsewhere holds one of the keys; not in halves
     */
    void claim(boolean inHalves, Duration timeout) {
        List<MessageKey> keys = keysToClaim();
        if (keys.isEmpty()) {
            if (group.stream().anyMatch(envelope -> envelope.unusable() != null)) {
                transaction.claim(consumer, List.of(MessageKey.LAST_WITH_TIME), timeout);
            }
            return;
        }
        if (inHalves) {
            claimer.inHalves(keys);
        } else {
            claimer.together(keys, timeout);
        }
    }

    /** Sorted, each once. */
    private List<MessageKey> keysToClaim() {
        List<MessageKey> all = new ArrayList<>(group.size());
        for (Envelope envelope : group) {
            if (isToBeClaimed(envelope) && !busyHere.contains(envelope.key())) {
                all.add(envelope.key());
            }
        }
        all.sort(null);
        List<MessageKey> keys = new ArrayList<>(all.size());
        for (MessageKey key : all) {
            if (keys.isEmpty() || !keys.get(keys.size() - 1).equals(key)) {
                keys.add(key);
            }
        }
        return keys;
    }

    private boolean isToBeClaimed(Envelope envelope) {
        return envelope.byLedger() && log.isAhead(envelope) && envelope.heldBack() == null;
    }

    /**
     * Asks for what neither watermark nor ledger says. A position of a log that somebody had forgotten says nothing about
     * messages that are kept: it is asked for them after the database has refused to keep one of them again.
     */
    void askForTheRest(Plan plan) {
        Set<MessageKey> unsure = new LinkedHashSet<>(claimer.outside().keySet());
        for (Envelope envelope : group) {
            if (!envelope.byLedger() && envelope.unusable() == null && plan.refusalOf(envelope) != null) {
                unsure.add(envelope.key());
            }
        }
        if (!unsure.isEmpty()) {
            known = transaction.known(consumer, List.copyOf(unsure));
        }
        if (!hashes.isEmpty()) {
            Map<MessageKey, PayloadHash> repeated = new HashMap<>();
            for (MessageKey key : repeatedKeys()) {
                repeated.put(key, Objects.requireNonNull(hashes.get(key)));
            }
            conflicting = repeated.isEmpty() ? Set.of() : transaction.conflicting(consumer, repeated);
        }
    }

    /** Whether there may be dead letters among the duplicates. */
    boolean hasDeadLetters() {
        return claimer.hasDeadLetters();
    }

    /** The keys that the ledger, the work or the dead letters have, whose payloads are the same as far as they were compared. */
    Set<MessageKey> repeatedKeys() {
        Set<MessageKey> repeated = new LinkedHashSet<>();
        for (Envelope envelope : group) {
            MessageKey key = envelope.key();
            if (isToBeClaimed(envelope) && !claimer.isBusy(key) && isRepeated(key) && !conflicting.contains(key)) {
                repeated.add(key);
            }
        }
        return repeated;
    }

    private boolean isRepeated(MessageKey key) {
        return !claimer.isClaimed(key) && (!claimer.outside().containsKey(key) || known.contains(key));
    }

    /** Whether somebody elsewhere has one of the messages. */
    boolean hasBusy() {
        return claimer.hasBusy();
    }

    boolean isBusy(Envelope envelope) {
        return claimer.isBusy(envelope.key());
    }

    boolean isClaimed(Envelope envelope) {
        return claimer.isClaimed(envelope.key());
    }

    /** Whether it is new as far as watermark and ledger say; others before it in this transaction do not count. */
    boolean mayBeNew(Envelope envelope) {
        return envelope.byLedger()
                ? claimer.isClaimed(envelope.key())
                : envelope.unusable() == null && log.isAhead(envelope) && envelope.heldBack() == null;
    }

    /** What a delivery is. To be asked once for each, in their order. */
    Standing standingOf(Envelope envelope) {
        MessageKey key = envelope.key();
        String refusal = log.refusal(envelope);
        if (refusal == null && log.isBehind(envelope)) {
            return Standing.DUPLICATE;
        }
        if (refusal != null || envelope.heldBack() != null) {
            return Standing.BUSY;
        }
        if (envelope.unusable() != null) {
            return Standing.UNUSABLE;
        }
        if (claimer.isBusy(key)) {
            return Standing.BUSY;
        }
        if (earlier != null && !earlier.add(key)) {
            return Standing.DUPLICATE;
        }
        return envelope.byLedger() ? standingByLedger(key) : known.contains(key) ? Standing.DUPLICATE : Standing.NEW;
    }

    private Standing standingByLedger(MessageKey key) {
        if (claimer.isClaimed(key)) {
            return Standing.NEW;
        }
        if (conflicting.contains(key)) {
            return Standing.CONFLICT;
        }
        return isRepeated(key) ? Standing.DUPLICATE : Standing.OUTSIDE;
    }

    /** Why a delivery is {@link Standing#BUSY}. */
    String whyBusy(Envelope envelope) {
        String held = envelope.heldBack();
        String refusal = held == null ? log.refusal(envelope) : held;
        return refusal == null ? BUSY_ELSEWHERE : refusal;
    }

    /** The claim that says that a delivery is {@link Standing#OUTSIDE}. */
    Claim claimOf(Envelope envelope) {
        return Objects.requireNonNull(claimer.outside().get(envelope.key()));
    }
}
