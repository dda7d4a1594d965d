package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
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
    /** Those that must not be claimed, because a message before them with their ordering key is busy. */
    private final Set<Envelope> heldBack = new HashSet<>();

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
        if (consumer.order().isKept()) {
            deliveries.holdBackBehindUnsettled(group);
        }
        return deliveries;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        Verdicts<C> verdicts = desk.verdicts();
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
        for (Envelope envelope : group) {
            MessageKey key = envelope.key();
            Envelope.Unusable unusable = envelope.unusable();
            Claim outside = claimer.outside().get(key);
            if (unusable != null) {
                verdicts.dead(envelope, unusable.reason(), unusable.detail(), false);
            } else if (heldBack.contains(envelope)) {
                envelope.propose(new Outcome.Busy("a message before it with the same ordering key is busy"));
            } else if (claimer.isBusy(key)) {
                envelope.propose(new Outcome.Busy("another transaction is working on the same message"));
            } else if (claimer.isClaimed(key)) {
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
            if (consumer.keepsOrderOf(envelope.message())) {
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
                hashes.put(envelope.key(), PayloadHash.of(envelope.message()));
            }
        }
        return hashes;
    }

    private boolean isToBeClaimed(Envelope envelope) {
        return envelope.unusable() == null && !heldBack.contains(envelope);
    }

    private Claimer claim(InboxTransaction<C> transaction, boolean inHalves, Map<MessageKey, PayloadHash> hashes) {
        Claimer claimer = new Claimer(transaction, consumer, hashes);
        List<MessageKey> keys = new ArrayList<>(group.size());
        for (Envelope envelope : group) {
            if (isToBeClaimed(envelope)) {
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
     * What stands behind a busy message of its key must not pass it. If some of it is claimed already, this transaction is
     * of no use: the next leaves it out.
     */
    private void holdBackBehindBusy(Claimer claimer) {
        if (!consumer.order().isKept() || !claimer.hasBusy()) {
            return;
        }
        Set<OrderingKey> held = new HashSet<>();
        boolean claimedOne = false;
        for (Envelope envelope : group) {
            OrderingKey key = OrderingKey.of(envelope.message());
            if (key == null || envelope.unusable() != null) {
                continue;
            }
            if (held.contains(key)) {
                heldBack.add(envelope);
                claimedOne |= claimer.isClaimed(envelope.key());
            } else if (claimer.isBusy(envelope.key())) {
                held.add(key);
            }
        }
        if (claimedOne) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW, "messages behind a busy one were claimed; once more without them", null);
        }
    }

    /** The parts before this one are committed; what they found busy holds back what is in this one. */
    private void holdBackBehindUnsettled(List<Envelope> whole) {
        Set<OrderingKey> held = new HashSet<>();
        for (Envelope envelope : whole) {
            OrderingKey key = OrderingKey.of(envelope.message());
            if (key != null && envelope.hasOutcome() && !envelope.outcome().settled()) {
                held.add(key);
            }
        }
        for (Envelope envelope : group) {
            OrderingKey key = OrderingKey.of(envelope.message());
            if (key != null && held.contains(key) && envelope.unusable() == null) {
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
            if (key != null && claimer.isClaimed(envelope.key())) {
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
