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
import io.pigeonhole.core.store.KeyOrder;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that a broker, or the application, has just handed in. They are claimed; what is new goes to its handler or is
 * stored for the workers.
 *
 * <p>With an order, the lanes of the keys are locked first and the keys are asked about afterwards, in a statement of their
 * own: a message of a key that has unfinished messages is stored behind them.
 */
final class Deliveries<C extends HandlerContext> implements Intake<C> {
    private static final Logger logger = LoggerFactory.getLogger(Deliveries.class);
    private static final String LANE_BUSY = "another transaction is at work in the lane of its ordering key";
    private static final String BEHIND_BUSY = "a message before it that it must not overtake is busy";

    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final Reception reception;
    /** All deliveries of the call in their order, of which the group is a part. */
    private final List<Envelope> call;

    private final List<Envelope> group;
    /** Keys that other threads of this process have. */
    private final Set<MessageKey> busyHere;
    /** Those that must not be claimed, because their lane, or a message that they must not overtake, is busy; with what they say. */
    private final Map<Envelope, String> heldBack = new HashMap<>();

    private LogView log = LogView.none();

    Deliveries(
            RegisteredConsumer consumer,
            EngineSettings settings,
            Reception reception,
            List<Envelope> call,
            List<Envelope> group,
            Set<MessageKey> busyHere) {
        this.busyHere = busyHere;
        this.call = call;
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
        Deliveries<C> deliveries = new Deliveries<>(consumer, settings, reception, call, part, busyHere);
        deliveries.holdBackBehindUnsettled();
        return deliveries;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        Decisions<C> decisions = desk.decisions();
        log = LogView.read(transaction, consumer, group);
        lockLanes(transaction, desk.plan().inHalves());
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
            countAgain(transaction, repeated, desk);
        }
        askForBlockedKeys(transaction, claimer, decisions.blocked());
        Set<MessageKey> unfinished = unfinished(transaction, desk.plan());
        Set<MessageKey> accepted = new HashSet<>(2 * group.size());
        List<Envelope> suspects = new ArrayList<>();
        for (Envelope envelope : group) {
            MessageKey key = envelope.key();
            Unusable unusable = envelope.unusable();
            Claim outside = claimer.outside().get(key);
            String refusal = log.refusal(envelope);
            String held = heldBack.get(envelope);
            if (refusal == null && log.isBehind(envelope)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (held != null) {
                envelope.propose(new Outcome.Busy(held));
            } else if (refusal != null) {
                envelope.propose(new Outcome.Busy(refusal));
            } else if (unusable != null) {
                decisions.dead(envelope, unusable, false);
            } else if (claimer.isBusy(key)) {
                envelope.propose(new Outcome.Busy("another transaction is working on the same message"));
            } else if (!accepted.add(key)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (unfinished.contains(key)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (!envelope.byLedger() || claimer.isClaimed(key)) {
                desk.accept(envelope, reception);
                if (envelope.message().deliveries() > settings.crashLimit()) {
                    suspects.add(envelope);
                }
            } else if (conflicting.contains(key)) {
                decisions.conflict(envelope);
            } else if (repeated.contains(key)) {
                envelope.propose(new Outcome.Duplicate());
            } else if (outside != null) {
                decisions.outside(envelope, outside);
            }
        }
        if (!suspects.isEmpty()) {
            logger.warn(
                    "'{}': {} messages were delivered more than {} times, such as {}, {} times: processes may have died of"
                            + " them, so workers will process each alone and under a lease",
                    consumer.name(),
                    suspects.size(),
                    settings.crashLimit(),
                    suspects.get(0).key(),
                    suspects.get(0).message().deliveries());
        }
    }

    @Override
    public void depart(InboxTransaction<C> transaction) {
        List<Advance> advances = log.advances(group);
        if (!advances.isEmpty()) {
            transaction.advance(consumer, advances);
        }
    }

    /**
     * Which of the messages that the database refused to keep are kept already: a position of a log that somebody had
     * forgotten says nothing about them. Asked only after such a refusal.
     */
    private Set<MessageKey> unfinished(InboxTransaction<C> transaction, Plan plan) {
        List<MessageKey> refused = group.stream()
                .filter(envelope -> !envelope.byLedger() && envelope.unusable() == null)
                .filter(envelope -> plan.refusalOf(envelope) != null)
                .map(Envelope::key)
                .toList();
        return refused.isEmpty() ? Set.of() : transaction.known(consumer, refused);
    }

    /**
     * Blocked here means that others are at work, which is no reason to look for a message that is held: it is tried again, and
     * in the end what belongs to the lanes that are not free is busy.
     */
    private void lockLanes(InboxTransaction<C> transaction, boolean inHalves) {
        if (!consumer.order().isKept()) {
            return;
        }
        TreeSet<Integer> lanes = new TreeSet<>();
        for (Envelope envelope : group) {
            if (needsLane(envelope)) {
                lanes.add(laneOf(envelope));
            }
        }
        if (lanes.isEmpty()) {
            return;
        }
        if (inHalves) {
            Set<Integer> busy = new HashSet<>();
            lockInHalves(transaction, List.copyOf(lanes), settings.twinPatience(), busy);
            holdBackOf(busy);
            return;
        }
        try {
            transaction.lock(consumer, List.copyOf(lanes), settings.twinPatience());
        } catch (ClaimBlockedException e) {
            throw new LaneBusyException(lanes.size(), e);
        }
    }

    private boolean needsLane(Envelope envelope) {
        return consumer.keepsOrderOf(envelope.message()) && log.isAhead(envelope) && !heldBack.containsKey(envelope);
    }

    private int laneOf(Envelope envelope) {
        return consumer.laneOf(envelope.message(), envelope.key());
    }

    /** As with keys: a half waits only long enough to see that it is not free yet. */
    private void lockInHalves(
            InboxTransaction<C> transaction, List<Integer> sorted, Duration patience, Set<Integer> busy) {
        transaction.savepoint();
        try {
            transaction.lock(consumer, sorted, patience);
        } catch (ClaimBlockedException e) {
            transaction.rollbackToSavepoint();
            if (sorted.size() == 1) {
                busy.addAll(sorted);
                return;
            }
            int middle = sorted.size() / 2;
            lockInHalves(transaction, sorted.subList(0, middle), Claimer.SHORT_PATIENCE, busy);
            lockInHalves(transaction, sorted.subList(middle, sorted.size()), Claimer.SHORT_PATIENCE, busy);
        }
    }

    /** Messages of lanes that are not free are busy, and what must not overtake them is held back. */
    private void holdBackOf(Set<Integer> busyLanes) {
        Set<Object> held = new HashSet<>();
        for (Envelope envelope : group) {
            if (needsLane(envelope) && busyLanes.contains(laneOf(envelope))) {
                heldBack.put(envelope, LANE_BUSY);
                hold(envelope, held);
            } else if (isBehind(envelope, held)) {
                heldBack.putIfAbsent(envelope, BEHIND_BUSY);
            }
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
        return envelope.byLedger() && log.isAhead(envelope) && !heldBack.containsKey(envelope);
    }

    /**
     * The order that a message belongs to: what it shares with those that must not overtake it while it is busy, and that it must
     * not overtake; null for one that belongs to none.
     *
     * <p>Without an order per key too, nothing passes a message of its key that somebody else is at, who may yet roll back. One that
     * was set aside is passed there like one that failed.
     */
    private @Nullable Object orderOf(Envelope envelope) {
        if (envelope.partition() != null) {
            return envelope.partition();
        }
        // The dead letter of an unusable message holds back those behind it, so that it must not overtake any either.
        boolean belongs = envelope.unusable() == null
                ? consumer.order().isKept() || !envelope.isSetAside()
                : consumer.order() == KeyOrder.BEHIND_DEAD_LETTERS;
        return belongs ? OrderingKey.of(envelope.message()) : null;
    }

    private Claimer claim(InboxTransaction<C> transaction, boolean inHalves, Map<MessageKey, PayloadHash> hashes) {
        Claimer claimer = new Claimer(transaction, consumer, hashes, busyHere);
        List<MessageKey> keys = keysToClaim();
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

    /**
     * What stands behind a busy message of its order must not pass it. If some of it is claimed already, this transaction is of no
     * use: the next leaves it out.
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
                // One that was held back before was not claimed: the key is that of the same message elsewhere.
                boolean heldNow = heldBack.putIfAbsent(envelope, BEHIND_BUSY) == null;
                claimedOne |= heldNow && claimer.isClaimed(envelope.key());
            } else if (claimer.isBusy(envelope.key())) {
                held.add(order);
            }
        }
        if (claimedOne) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW, "messages behind a busy one were claimed; once more without them", null);
        }
    }

    /**
     * The parts and rounds of the call before this one are committed; what they found busy holds back what is behind it, and a
     * message with the same id and another payload, which must not take its place.
     */
    private void holdBackBehindUnsettled() {
        Set<Envelope> here = new HashSet<>(group);
        Set<Object> held = new HashSet<>();
        for (Envelope envelope : call) {
            if (envelope.hasOutcome() && !envelope.outcome().settled()) {
                hold(envelope, held);
            } else if (!held.isEmpty() && here.contains(envelope) && isBehind(envelope, held)) {
                heldBack.putIfAbsent(envelope, BEHIND_BUSY);
            }
        }
    }

    private void hold(Envelope busy, Set<Object> held) {
        held.add(busy.key());
        Object order = orderOf(busy);
        if (order != null) {
            held.add(order);
        }
    }

    private boolean isBehind(Envelope envelope, Set<Object> held) {
        Object order = orderOf(envelope);
        return held.contains(envelope.key()) || (order != null && held.contains(order));
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

    private void askForBlockedKeys(InboxTransaction<C> transaction, Claimer claimer, BlockedKeys blocked) {
        if (!consumer.order().isKept()) {
            return;
        }
        Set<OrderingKey> keys = new LinkedHashSet<>();
        for (Envelope envelope : group) {
            OrderingKey key = OrderingKey.of(envelope.message());
            boolean accepted = envelope.byLedger()
                    ? claimer.isClaimed(envelope.key())
                    : envelope.unusable() == null && log.isAhead(envelope) && !heldBack.containsKey(envelope);
            if (key != null && accepted) {
                keys.add(key);
            }
        }
        if (!keys.isEmpty()) {
            blocked.addAll(transaction.blocked(consumer, keys));
        }
    }

    private void countAgain(InboxTransaction<C> transaction, Set<MessageKey> repeated, Desk<C> desk) {
        if (repeated.isEmpty()) {
            return;
        }
        Set<MessageKey> dead = transaction.seenAgain(consumer, repeated);
        if (settings.deadAgain() != DeadAgain.REOPENED) {
            return;
        }
        Set<MessageKey> back = new HashSet<>(dead);
        for (Envelope envelope : group) {
            NotStoredException refusal = desk.plan().refusalOf(envelope);
            if (refusal != null && back.remove(envelope.key())) {
                logger.warn(
                        "consumer '{}': {} came again and stays a dead letter: {}",
                        consumer.name(),
                        envelope.message(),
                        refusal.getMessage());
            }
        }
        if (!back.isEmpty()) {
            Set<MessageKey> reopened = reopen(transaction, back);
            group.stream().filter(envelope -> reopened.contains(envelope.key())).forEach(desk.decisions()::requeued);
        }
    }

    private Set<MessageKey> reopen(InboxTransaction<C> transaction, Set<MessageKey> dead) {
        try {
            return transaction.reopen(consumer, dead);
        } catch (StoreException e) {
            throw new NotReopenedException(e);
        }
    }
}
