package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.Backlog.Kind;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Workers learn where something is due, and when. */
abstract class BacklogTests<C extends HandlerContext> extends WorkLab<C> {
    private static final Duration TOLERANCE = Duration.ofMinutes(1);

    BacklogTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Due due() {
        List<Due> due = store.due(List.of(consumer));
        assertThat(due).hasSize(1);
        return due.get(0);
    }

    @Test
    void nothingIsDueWhereNothingIsUnfinished() {
        assertThat(store.due(List.of(consumer))).isEmpty();
        received(1);
        run(transaction -> transaction.finish(consumer, take(transaction)));
        assertThat(store.due(List.of(consumer))).isEmpty();
        assertThat(store.due(List.of())).isEmpty();
    }

    @Test
    void receivedMessageIsDueNow() {
        received(3);

        assertThat(due()).isEqualTo(new Due(consumer, Kind.ORDINARY, 0, Duration.ZERO));
    }

    @Test
    void messageThatComesToLightBehindAFullBatchIsDueAndTaken() {
        Message late = message(0);
        try (InboxTransaction<C> slow = begin()) {
            receive(slow, false, List.of(late));
            receive(message(1), message(2));
            run(transaction -> transaction.finish(consumer, transaction.take(consumer, 0, 2)));
            slow.commit();
        }
        assertThat(due().in()).isZero();
        assertThat(available()).containsExactly(keyOf(late));
    }

    @Test
    void parkedMessageWillBeDue() {
        park(message(0), LATER.multipliedBy(2));
        park(message(1), LATER);
        assertThat(due().in()).isBetween(LATER.minus(TOLERANCE), LATER);

        fixture.advance(LATER.multipliedBy(3));
        assertThat(due().in()).isZero();
    }

    @Test
    void messageThatNeedsALeaseIsDueByLease() {
        receiveByLease(message(0));

        assertThat(due()).isEqualTo(new Due(consumer, Kind.BY_LEASE, 0, Duration.ZERO));
    }

    @Test
    void leasedMessageIsDueWhenItsLeaseRunsOut() {
        receiveByLease(message(0));
        leased();
        assertThat(due().kind()).isEqualTo(Kind.EXPIRING);
        assertThat(due().workPartition()).isEqualTo(-1);
        assertThat(due().in()).isBetween(LEASE.minus(TOLERANCE), LEASE);

        fixture.advance(LEASE.multipliedBy(2));
        assertThat(due().in()).isZero();
    }

    @Test
    void everyWorkPartitionAndKindIsTold() {
        consumer = register(KeyOrder.NONE, 4);
        List<Message> messages = received(40);
        Set<Integer> workPartitions = new TreeSet<>();
        for (Message message : messages) {
            workPartitions.add(consumer.workPartitionOf(message, keyOf(message)));
        }
        Message byLease = message(0);
        receiveByLease(byLease);
        List<Due> expected = new ArrayList<>();
        for (int workPartition : workPartitions) {
            expected.add(new Due(consumer, Kind.ORDINARY, workPartition, Duration.ZERO));
        }
        expected.add(
                new Due(consumer, Kind.BY_LEASE, consumer.workPartitionOf(byLease, keyOf(byLease)), Duration.ZERO));

        assertThat(store.due(List.of(consumer))).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void onlyTheConsumersThatWereAskedForAreTold() {
        received(1);
        RegisteredConsumer first = consumer;
        consumer = register(KeyOrder.NONE);
        RegisteredConsumer second = consumer;
        received(1);
        consumer = register(KeyOrder.NONE);
        received(1);

        assertThat(store.due(List.of(first, second)))
                .containsExactlyInAnyOrder(
                        new Due(first, Kind.ORDINARY, 0, Duration.ZERO),
                        new Due(second, Kind.ORDINARY, 0, Duration.ZERO));
    }

    @Test
    void pausedConsumerHasNothingToTakeOrToLeaseButLeasesThatRunOut() {
        receiveByLease(message(0));
        leased();
        received(1);
        receiveByLease(message(1));
        fixture.pause(consumer.name(), true);
        assertThat(store.due(List.of(consumer))).extracting(Due::kind).containsExactly(Kind.EXPIRING);

        fixture.pause(consumer.name(), false);
        assertThat(store.due(List.of(consumer)))
                .extracting(Due::kind)
                .containsExactlyInAnyOrder(Kind.ORDINARY, Kind.BY_LEASE, Kind.EXPIRING);
    }
}
