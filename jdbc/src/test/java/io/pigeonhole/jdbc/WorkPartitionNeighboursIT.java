package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Work partitions are locked beside those of others. A server may read, and so lock, all work partitions of a consumer where many are asked for. */
class WorkPartitionNeighboursIT {
    static Stream<Arguments> numbersOfConsumers() {
        return AnyDatabase.all().flatMap(server -> Stream.of(Arguments.of(server, 1), Arguments.of(server, 5)));
    }

    @ParameterizedTest
    @MethodSource("numbersOfConsumers")
    void anyNumberOfWorkPartitionsIsLockedWithoutWaitingForAnother(DatabaseServer server, int consumers) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            List<RegisteredConsumer> registered = registered(store, consumers);

            for (RegisteredConsumer consumer : registered) {
                int last = consumer.workPartitions() - 1;
                try (InboxTransaction<JdbcContext> somebody = store.begin(StoreLab.IDLE_LIMIT)) {
                    somebody.lock(consumer, List.of(last), StoreLab.LONG);
                    for (int workPartitions = 1; workPartitions <= last; workPartitions++) {
                        int count = workPartitions;
                        assertThatCode(() -> lockFirst(store, consumer, count))
                                .as("%d of %d work partitions", count, last + 1)
                                .doesNotThrowAnyException();
                    }
                    assertThatThrownBy(() -> lockFirst(store, consumer, last + 1))
                            .isInstanceOf(ClaimBlockedException.class);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void allWorkPartitionsAreLockedBesideThoseOfAnotherConsumer(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            List<RegisteredConsumer> two = registered(store, 2);

            try (InboxTransaction<JdbcContext> somebody = store.begin(StoreLab.IDLE_LIMIT)) {
                somebody.lock(two.get(0), firstWorkPartitions(two.get(0).workPartitions()), StoreLab.LONG);
                assertThatCode(() -> lockFirst(store, two.get(1), two.get(1).workPartitions()))
                        .doesNotThrowAnyException();
            }
        }
    }

    private static void lockFirst(JdbcStore store, RegisteredConsumer consumer, int workPartitions) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.lock(consumer, firstWorkPartitions(workPartitions), StoreLab.SHORT);
        }
    }

    private static List<Integer> firstWorkPartitions(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static List<RegisteredConsumer> registered(JdbcStore store, int count) {
        List<RegisteredConsumer> registered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            registered.add(store.register(new ConsumerRegistration("consumer " + i, IdForm.TIME_ORDERED)));
        }
        return registered;
    }
}
