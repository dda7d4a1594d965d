package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that a broker, or the application, has just handed in. They are claimed; what is new goes to its handler or is
 * stored for the workers.
 *
 * <p>With an order, the work partitions of the keys are locked first and the keys are asked about afterwards, in a statement of their
 * own: a message of a key that has unfinished messages is stored behind them.
 */
final class Deliveries<C extends HandlerContext> implements Intake<C> {
    private static final Logger logger = LoggerFactory.getLogger(Deliveries.class);

    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final SuspectWarning suspectWarning;
    private final Reception reception;
    /** All deliveries of the call in their order, of which the group is a part, without repetitions. */
    private final List<Envelope> call;

    private final List<Envelope> group;
    /** Keys that other threads of this process have. */
    private final Set<MessageKey> busyHere;

    private LogView log = LogView.none();

    Deliveries(
            RegisteredConsumer consumer,
            EngineSettings settings,
            SuspectWarning suspectWarning,
            Reception reception,
            List<Envelope> call,
            List<Envelope> group,
            Set<MessageKey> busyHere) {
        this.suspectWarning = suspectWarning;
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
        Deliveries<C> deliveries =
                new Deliveries<>(consumer, settings, suspectWarning, reception, call, part, busyHere);
        part.forEach(Envelope::release);
        deliveries.holdBackBehindUnsettled();
        return deliveries;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Dispatcher<C> dispatcher) {
        boolean inHalves = dispatcher.plan().inHalves();
        log = LogView.read(transaction, consumer, group);
        new WorkPartitionLocks(transaction, consumer, log).lock(group, inHalves, settings.concurrentDuplicateTimeout());
        DuplicateCheck check = new DuplicateCheck(transaction, consumer, group, log, busyHere, settings.conflicts());
        check.claim(inHalves, settings.concurrentDuplicateTimeout());
        holdBackBehindBusy(check);
        check.askForTheRest(dispatcher.plan());
        // Before it is asked which keys are blocked: those behind a reopened message have to wait for it.
        if (check.hasDeadLetters()) {
            countAgain(transaction, check.repeatedKeys(), dispatcher);
        }
        askForBlockedKeys(transaction, check, dispatcher.decisions().blocked());
        List<Envelope> suspects = new ArrayList<>();
        for (Envelope envelope : group) {
            DuplicateCheck.Standing standing = check.standingOf(envelope);
            decide(envelope, standing, check, dispatcher);
            if (standing == DuplicateCheck.Standing.NEW && envelope.message().deliveries() > settings.crashLimit()) {
                suspects.add(envelope);
            }
        }
        suspectWarning.give(suspects);
    }

    private void decide(
            Envelope envelope, DuplicateCheck.Standing standing, DuplicateCheck check, Dispatcher<C> dispatcher) {
        switch (standing) {
            case NEW -> dispatcher.accept(envelope, reception);
            case DUPLICATE -> envelope.propose(new Outcome.Duplicate());
            case CONFLICT -> dispatcher.decisions().conflict(envelope);
            case BUSY -> envelope.propose(new Outcome.Busy(check.whyBusy(envelope)));
            case OUTSIDE -> dispatcher.decisions().outside(envelope, check.claimOf(envelope));
            case UNUSABLE -> dispatcher.decisions().dead(envelope, Objects.requireNonNull(envelope.unusable()), false);
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
     * What stands behind a busy message of its order must not pass it. If some of it is claimed already, this transaction is of no
     * use: the next leaves it out.
     */
    private void holdBackBehindBusy(DuplicateCheck check) {
        if (!check.hasBusy()) {
            return;
        }
        HeldOrders held = new HeldOrders(consumer);
        boolean claimedOne = false;
        for (Envelope envelope : group) {
            if (held.isBehindInOrder(envelope)) {
                // One that was held back before was not claimed: the key is that of the same message elsewhere.
                claimedOne |= envelope.holdBack(HeldOrders.BEHIND_BUSY) && check.isClaimed(envelope);
            } else if (check.isBusy(envelope)) {
                held.holdOrderOf(envelope);
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
        HeldOrders held = new HeldOrders(consumer);
        Set<Envelope> here = Set.of();
        for (Envelope envelope : call) {
            if (envelope.hasOutcome() && !envelope.outcome().settled()) {
                here = held.isEmpty() ? new HashSet<>(group) : here;
                held.hold(envelope);
            } else if (!held.isEmpty() && here.contains(envelope) && held.isBehind(envelope)) {
                envelope.holdBack(HeldOrders.BEHIND_BUSY);
            }
        }
    }

    private void askForBlockedKeys(InboxTransaction<C> transaction, DuplicateCheck check, BlockedKeys blocked) {
        if (!consumer.order().isKept()) {
            return;
        }
        Set<OrderingKey> keys = new LinkedHashSet<>();
        for (Envelope envelope : group) {
            OrderingKey key = OrderingKey.of(envelope.message());
            if (key != null && check.mayBeNew(envelope)) {
                keys.add(key);
            }
        }
        if (!keys.isEmpty()) {
            blocked.addAll(transaction.blocked(consumer, keys));
        }
    }

    private void countAgain(InboxTransaction<C> transaction, Set<MessageKey> repeated, Dispatcher<C> dispatcher) {
        if (repeated.isEmpty()) {
            return;
        }
        Set<MessageKey> dead = transaction.seenAgain(consumer, repeated);
        if (settings.onRedeliveredDeadLetter() != OnRedeliveredDeadLetter.REQUEUE) {
            return;
        }
        Set<MessageKey> back = new HashSet<>(dead);
        for (Envelope envelope : group) {
            NotStoredException refusal = dispatcher.plan().refusalOf(envelope);
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
            group.stream()
                    .filter(envelope -> reopened.contains(envelope.key()))
                    .forEach(dispatcher.decisions()::requeued);
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
