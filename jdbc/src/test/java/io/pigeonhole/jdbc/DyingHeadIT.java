package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.IdForm;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.KeyOrder;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A message under a lease dies while a worker looks for what is due: at each moment what is behind it stays behind it. */
class DyingHeadIT {
    /** Statements of the search that name the table of work or of dead letters. */
    private static final int MOMENTS = 4;

    static Stream<DatabaseServer> servers() {
        return Stream.concat(Stream.of(H2Server.FILES), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageBehindOneThatDiesDuringTheSearchIsNotTaken(DatabaseServer server) {
        Workshop workshop = server.sharedSchema();
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        for (int moment = 1; moment <= MOMENTS; moment++) {
            for (String table : List.of("inbox_work AS w", "inbox_dead_letter AS d")) {
                RegisteredConsumer consumer = store.register(new ConsumerRegistration(
                        "dying " + UUID.randomUUID(), IdForm.TIME_ORDERED, KeyOrder.BEHIND_DEAD_LETTERS, 1));
                StoreLab lab = new StoreLab(store, consumer);
                Message head = message();
                Message behind = message();
                WorkItem leased;
                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                    transaction.receive(
                            consumer,
                            List.of(
                                    new ReceivedMessage(lab.keyOf(head), head, true),
                                    new ReceivedMessage(lab.keyOf(behind), behind, false)));
                    transaction.commit();
                }
                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                    leased = transaction
                            .lease(consumer, 0, 1, "node", Duration.ofMinutes(1))
                            .get(0);
                    transaction.commit();
                }
                DataSource interposed = InterposedDataSource.before(
                        moment, table, workshop.dataSource(), () -> bury(lab, consumer, leased));
                JdbcStore searching = JdbcStore.create(interposed);
                try (InboxTransaction<JdbcContext> transaction = searching.begin(StoreLab.IDLE_LIMIT)) {
                    assertThat(transaction.enter(consumer, 0)).isTrue();
                    assertThat(transaction.take(consumer, 0, 10))
                            .as("dead before statement %d about %s", moment, table)
                            .isEmpty();
                    transaction.commit();
                }
            }
        }
    }

    private static Message message() {
        return Message.builder("notes")
                .id("id " + UUID.randomUUID())
                .type("note")
                .orderingKey("key")
                .build();
    }

    private static void bury(StoreLab lab, RegisteredConsumer consumer, WorkItem item) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.bury(
                    consumer,
                    List.of(new DeadLetter(
                            item.key(), item.message(), DeadReason.PERMANENT_FAILURE, "for a test", true, null, item)));
            transaction.commit();
        }
    }
}
