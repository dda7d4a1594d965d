package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a broker, or the application, has just handed in. They are claimed; what is new goes to its handler or is
 * stored for the workers.
 *
 * <p>With an order, the lanes of the keys are locked first and the keys are asked about afterwards, in a statement of their
 * own: a message of a key that has unfinished messages is stored behind them.
 */
final class Deliveries<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final Reception reception;
    private final List<Envelope> group;
    /** Those that must not be claimed, because a message before them that they must not overtake is busy. */
    private final Set<Envelope> heldBack = new HashSet<>();

    private LogView log = LogView.none();

    Deliveries(RegisteredConsumer consumer, EngineSettings settings, Reception reception, List<Envelope> group) {
        this.consumer = consumer;
        this.settings = settings;
        this.reception = reception;
        this.group = group;
    }

    @Override
    public List<Envelope> group() {
        return group;
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        Deliveries<C> deliveries = new Deliveries<>(consumer, settings, reception, part);
        if (consumer.order().isKept() || consumer.deduplication().needsLog()) {
            deliveries.holdBackBehindUnsettled(group);
        }
        return deliveries;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        Verdicts<C> verdicts = desk.verdicts();
        log = LogView.read(transaction, consumer, group);
        lockLanes(transaction);
        Map<MessageKey, PayloadHash> hashes = settings.conflicts() ? hashes() : Map.of();
        Claimer claimer = claim(transaction, desk.plan().inHalves(), hashes);
        holdBackBehindBusy(claimer);
        Set<MessageKey> known = claimer.outside().isEmpty()
                ? Set.of()
                : transaction.known(consumer, List.copyOf(claimer.outside().keySet()));
        Set<MessageKey> repeated = repeated(claimer, known);
        Set<MessageKey> conflicting = conflicting(transaction, repeated, hashes);
        repeated.removeAll(conflicting);
        // Before it is asked which keys are blocked: those behind a reopened message have to wait for it.
        if (claimer.hasDeadLetters()) {
            countAgain(transaction, repeated, verdicts);
        }
        askForBlockedKeys(transaction, claimer, verdicts);
        Set<MessageKey> accepted = new HashSet<>();
        for (Envelope envelope : group) {
            MessageKey key = envelope.key();
            Envelope.Unusable unusable = envelope.unusable();
            Claim outside = claimer.outside().get(key);
            if (log.isOfAnother(envelope)) {
                envelope.propose(new Outcome.Busy("another owner has its partition"));
            } else if (log.isBehind(envelope)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (heldBack.contains(envelope)) {
                envelope.propose(new Outcome.Busy("a message before it that it must not overtake is busy"));
            } else if (unusable != null) {
                verdicts.dead(envelope, unusable.reason(), unusable.detail(), false);
            } else if (claimer.isBusy(key)) {
                envelope.propose(new Outcome.Busy("another transaction is working on the same message"));
            } else if (!accepted.add(key)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (!envelope.byLedger() || claimer.isClaimed(key)) {
                accept(envelope, desk);
            } else if (conflicting.contains(key)) {
                verdicts.conflict(envelope);
            } else if (repeated.contains(key)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (outside != null) {
                verdicts.outside(envelope, outside);
            }
        }
    }

    @Override
    public void depart(InboxTransaction<C> transaction) {
        List<Advance> advances = log.advances(group);
        if (!advances.isEmpty()) {
            transaction.advance(consumer, advances);
        }
    }

    private void accept(Envelope envelope, Desk<C> desk) {
        Verdicts<C> verdicts = desk.verdicts();
        boolean byLease = verdicts.isByLease(envelope);
        if (reception == Reception.STORE || byLease || verdicts.isBlocked(envelope)) {
            verdicts.received(envelope, byLease);
        } else {
            desk.handle(envelope);
        }
    }

    /** Blocked here means that others are at work, which is no reason to look for a message that is held. */
    private void lockLanes(InboxTransaction<C> transaction) {
        if (!consumer.order().isKept()) {
            return;
        }
        TreeSet<Integer> lanes = new TreeSet<>();
        for (Envelope envelope : group) {
            if (consumer.keepsOrderOf(envelope.message()) && log.isAhead(envelope)) {
                lanes.add(consumer.laneOf(envelope.message(), envelope.key()));
            }
        }
        if (lanes.isEmpty()) {
            return;
        }
        try {
            transaction.lock(consumer, List.copyOf(lanes), settings.twinPatience());
        } catch (ClaimBlockedException e) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW,
                    "another transaction is at work in one of " + lanes.size() + " lanes of ordered keys",
                    e);
        }
    }

    private Map<MessageKey, PayloadHash> hashes() {
        Map<MessageKey, PayloadHash> hashes = new HashMap<>();
        for (Envelope envelope : group) {
            if (isToBeClaimed(envelope)) {
                hashes.putIfAbsent(envelope.key(), PayloadHash.of(envelope.message()));
            }
        }
        return hashes;
    }

    private boolean isToBeClaimed(Envelope envelope) {
        return envelope.byLedger() && log.isAhead(envelope) && !heldBack.contains(envelope);
    }

    /** What messages share that must not overtake each other; null for one that may overtake all others. */
    private @Nullable Object orderOf(Envelope envelope) {
        if (envelope.partition() != null) {
            return envelope.partition();
        }
        return consumer.order().isKept() && envelope.unusable() == null ? OrderingKey.of(envelope.message()) : null;
    }

    private Claimer claim(InboxTransaction<C> transaction, boolean inHalves, Map<MessageKey, PayloadHash> hashes) {
        Claimer claimer = new Claimer(transaction, consumer, hashes);
        Set<MessageKey> distinct = new HashSet<>(group.size() * 2);
        List<MessageKey> keys = new ArrayList<>(group.size());
        for (Envelope envelope : group) {
            if (isToBeClaimed(envelope) && distinct.add(envelope.key())) {
                keys.add(envelope.key());
            }
        }
        keys.sort(null);
        if (keys.isEmpty()) {
            return claimer;
        }
        if (inHalves) {
            claimer.inHalves(keys);
        } else {
            claimer.together(keys, settings.twinPatience());
        }
        return claimer;
    }

    /**
     * What stands behind a busy message of its key, or of its partition, must not pass it. If some of it is claimed already, this transaction is
     * of no use: the next leaves it out.
     */
    private void holdBackBehindBusy(Claimer claimer) {
        if (!claimer.hasBusy()) {
            return;
        }
        Set<Object> held = new HashSet<>();
        boolean claimedOne = false;
        for (Envelope envelope : group) {
            Object order = orderOf(envelope);
            if (order == null) {
                continue;
            }
            if (held.contains(order)) {
                heldBack.add(envelope);
                claimedOne |= claimer.isClaimed(envelope.key());
            } else if (claimer.isBusy(envelope.key())) {
                held.add(order);
            }
        }
        if (claimedOne) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW, "messages behind a busy one were claimed; once more without them", null);
        }
    }

    /** The parts before this one are committed; what they found busy holds back what is in this one. */
    private void holdBackBehindUnsettled(List<Envelope> whole) {
        Set<Object> held = new HashSet<>();
        for (Envelope envelope : whole) {
            Object order = orderOf(envelope);
            if (order != null && envelope.hasOutcome() && !envelope.outcome().settled()) {
                held.add(order);
            }
        }
        for (Envelope envelope : group) {
            Object order = orderOf(envelope);
            if (order != null && held.contains(order)) {
                heldBack.add(envelope);
            }
        }
    }

    /** Accepted before, as far as the ledger, the work and the dead letters can tell. */
    private Set<MessageKey> repeated(Claimer claimer, Set<MessageKey> known) {
        Set<MessageKey> repeated = new LinkedHashSet<>();
        for (Envelope envelope : group) {
            MessageKey key = envelope.key();
            boolean unclaimed = isToBeClaimed(envelope) && !claimer.isClaimed(key) && !claimer.isBusy(key);
            if (unclaimed && (!claimer.outside().containsKey(key) || known.contains(key))) {
                repeated.add(key);
            }
        }
        return repeated;
    }

    private Set<MessageKey> conflicting(
            InboxTransaction<C> transaction, Set<MessageKey> repeated, Map<MessageKey, PayloadHash> hashes) {
        Map<MessageKey, PayloadHash> asked = new HashMap<>();
        for (MessageKey key : repeated) {
            @Nullable PayloadHash hash = hashes.get(key);
            if (hash != null) {
                asked.put(key, hash);
            }
        }
        return asked.isEmpty() ? Set.of() : transaction.conflicting(consumer, asked);
    }

    private void askForBlockedKeys(InboxTransaction<C> transaction, Claimer claimer, Verdicts<C> verdicts) {
        if (!consumer.order().isKept()) {
            return;
        }
        Set<OrderingKey> keys = new LinkedHashSet<>();
        for (Envelope envelope : group) {
            OrderingKey key = OrderingKey.of(envelope.message());
            boolean accepted = envelope.byLedger()
                    ? claimer.isClaimed(envelope.key())
                    : envelope.unusable() == null && log.isAhead(envelope) && !heldBack.contains(envelope);
            if (key != null && accepted) {
                keys.add(key);
            }
        }
        if (!keys.isEmpty()) {
            verdicts.block(transaction.blocked(consumer, keys));
        }
    }

    private void countAgain(InboxTransaction<C> transaction, Set<MessageKey> repeated, Verdicts<C> verdicts) {
        if (repeated.isEmpty()) {
            return;
        }
        Set<MessageKey> dead = transaction.seenAgain(consumer, repeated);
        boolean reopens = !dead.isEmpty() && settings.deadAgain() == DeadAgain.REOPENED;
        if (reopens) {
            var reopened = transaction.reopen(consumer, dead);
            group.stream().filter(envelope -> reopened.contains(envelope.key())).forEach(verdicts::reopened);
        }
    }
}
