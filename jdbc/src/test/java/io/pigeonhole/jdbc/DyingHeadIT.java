package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The first message of a key dies, or comes back from the dead letters, while a worker looks for what is due: at each moment
 * what is behind it stays behind it.
 */
class DyingHeadIT {
    /** Statements of the search that name the table of work or of dead letters. */
    private static final int MOMENTS = 4;

    private static final List<String> TABLES = List.of("inbox_work AS w", "inbox_dead_letter AS d");

    private final Message head = message();
    private final Message behind = message();

    static Stream<DatabaseServer> servers() {
        return Stream.concat(Stream.of(H2Server.FILES), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageBehindOneThatDiesDuringTheSearchIsNotTaken(DatabaseServer server) {
        Workshop workshop = server.sharedSchema();
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        for (int moment = 1; moment <= MOMENTS; moment++) {
            for (String table : TABLES) {
                StoreLab lab = lab(store);
                receive(
                        lab,
                        new ReceivedMessage(lab.keyOf(head), head, true),
                        new ReceivedMessage(lab.keyOf(behind), behind, false));
                WorkItem leased = lease(lab);
                DataSource interposed = InterposedDataSource.before(
                        moment, table, workshop.dataSource(), () -> deadLetter(lab, leased.message(), leased));
                assertThat(take(lab, interposed))
                        .as("dead before statement %d about %s", moment, table)
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageBehindOneThatComesBackDuringTheSearchDoesNotOvertakeIt(DatabaseServer server) {
        Workshop workshop = server.sharedSchema();
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        for (int moment = 1; moment <= MOMENTS; moment++) {
            for (String table : TABLES) {
                StoreLab lab = lab(store);
                deadLetter(lab, head, null);
                receive(lab, new ReceivedMessage(lab.keyOf(behind), behind, false));
                DataSource interposed =
                        InterposedDataSource.before(moment, table, workshop.dataSource(), () -> reopen(lab));
                assertThat(take(lab, interposed))
                        .as("reopened before statement %d about %s", moment, table)
                        .isIn(List.of(), List.of(lab.keyOf(head), lab.keyOf(behind)));
            }
        }
    }

    private static StoreLab lab(JdbcStore store) {
        return new StoreLab(
                store,
                store.register(new ConsumerRegistration(
                        "dying " + UUID.randomUUID(), IdForm.TIME_ORDERED, KeyOrder.BLOCK_ON_DEAD_LETTERS, 1)));
    }

    private static Message message() {
        return Message.builder("notes")
                .id("id " + UUID.randomUUID())
                .type("note")
                .orderingKey("key")
                .build();
    }

    private static void receive(StoreLab lab, ReceivedMessage... messages) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.receive(lab.consumer(), List.of(messages));
            transaction.commit();
        }
    }

    private static WorkItem lease(StoreLab lab) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            WorkItem leased = transaction
                    .lease(lab.consumer(), 0, 1, "node", Duration.ofMinutes(1))
                    .get(0);
            transaction.commit();
            return leased;
        }
    }

    private static void deadLetter(StoreLab lab, Message message, @Nullable WorkItem item) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(item == null || transaction.hold(lab.consumer(), item)).isTrue();
            transaction.deadLetter(
                    lab.consumer(),
                    List.of(new DeadLetter(
                            lab.keyOf(message),
                            message,
                            DeadReason.PERMANENT_FAILURE,
                            "for a test",
                            true,
                            null,
                            item)));
            transaction.commit();
        }
    }

    private void reopen(StoreLab lab) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction.reopen(lab.consumer(), List.of(lab.keyOf(head))))
                    .hasSize(1);
            transaction.commit();
        }
    }

    private static List<MessageKey> take(StoreLab lab, DataSource interposed) {
        JdbcStore searching = JdbcStore.create(interposed);
        try (InboxTransaction<JdbcContext> transaction = searching.begin(StoreLab.IDLE_LIMIT)) {
            assertThat(transaction.enter(lab.consumer(), 0)).isTrue();
            List<MessageKey> taken = transaction.take(lab.consumer(), 0, 10).stream()
                    .map(WorkItem::key)
                    .toList();
            transaction.commit();
            return taken;
        }
    }
}
