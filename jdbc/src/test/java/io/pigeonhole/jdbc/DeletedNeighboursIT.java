package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rows are deleted beside those of somebody's open transaction, and do not wait for it. A server may read, and so lock, all of
 * a table where a statement deletes a large part of it.
 */
class DeletedNeighboursIT {
    private static final int ROWS = 300;

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void bulkRequeueLeavesLettersOfAnotherConsumerToThem(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            bury(store, "orders", ROWS);
            bury(store, "invoices", 1);
            Admin admin = Admin.of(store);

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                execute(
                        somebody,
                        "UPDATE inbox_dead_letter SET seen_again = 1 WHERE id = ?",
                        Long.parseLong(workshop.ask("SELECT MAX(id) FROM inbox_dead_letter")));
                RequeueReport report = admin.requeue(
                        admin.select(DeadLetterFilter.of("orders")), Requeue.atOnce(), new Author("ann", "a test"));

                assertThat(report).isEqualTo(new RequeueReport(ROWS, 0, 0, null));
                somebody.rollback();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("1");
        }
    }

    /** What was deleted stays in an index while somebody has an older view of it, and whoever inserts it again looks at the next. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void messageDiesAgainWhileTheLetterOfTheNextIsCounted(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            List<ReceivedMessage> two = Stream.of(StoreLab.message(), StoreLab.message())
                    .map(message -> new ReceivedMessage(lab.keyOf(message), message, false))
                    .sorted(Comparator.comparing(ReceivedMessage::key))
                    .toList();
            List<MessageKey> keys = two.stream().map(ReceivedMessage::key).toList();
            receive(lab, two);
            buryWork(workshop, lab);

            try (Connection dump = workshop.dataSource().getConnection()) {
                dump.setAutoCommit(false);
                dump.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                try (Statement view = dump.createStatement()) {
                    view.execute("SELECT count(*) FROM inbox_dead_letter");
                }
                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                    transaction.reopen(lab.consumer(), keys.subList(0, 1));
                    transaction.commit();
                }
                try (InboxTransaction<JdbcContext> slow = lab.begin()) {
                    assertThat(slow.seenAgain(lab.consumer(), keys.subList(1, 2)))
                            .hasSize(1);
                    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> buryWork(workshop, lab));
                    slow.commit();
                }
                dump.rollback();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("2");
        }
    }

    private static void buryWork(Workshop workshop, StoreLab lab) throws SQLException {
        List<Long> ids = workshop.askAll("SELECT id FROM inbox_work").stream()
                .map(Long::valueOf)
                .toList();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.bury(
                    lab.consumer(),
                    transaction.retake(lab.consumer(), ids).stream()
                            .map(item -> new DeadLetter(
                                    item.key(), item.message(), DeadReason.PERMANENT_FAILURE, "dead", true, null, item))
                            .toList());
            transaction.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldRowsGoBesideThoseThatSomebodyIsAdding(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            try (Connection before = workshop.dataSource().getConnection()) {
                for (int i = 0; i < ROWS; i++) {
                    addRows(server, lab, before, LocalDateTime.of(2020, 1, 1, 0, 0));
                }
            }

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                addRows(server, lab, somebody, LocalDateTime.now(ZoneOffset.UTC));
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                somebody.commit();
            }

            for (String table : List.of("inbox_ledger", "inbox_attempt", "inbox_audit")) {
                assertThat(workshop.ask("SELECT count(*) FROM " + table))
                        .as(table)
                        .isEqualTo("1");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldAttemptsGoBesideThoseOfAMessageThatSomebodyIsFinishing(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = StoreLab.message();
            receive(lab, List.of(new ReceivedMessage(lab.keyOf(message), message, false)));
            try (Connection before = workshop.dataSource().getConnection()) {
                LocalDateTime longAgo = LocalDateTime.of(2020, 1, 1, 0, 0);
                addAttempt(before, server.parameter(lab.keyOf(message)), longAgo);
                addAttempt(before, server.parameter(lab.keyOf(StoreLab.message())), longAgo);
            }

            try (InboxTransaction<JdbcContext> somebody = lab.begin()) {
                somebody.finish(
                        lab.consumer(),
                        somebody.retake(
                                lab.consumer(), List.of(Long.valueOf(workshop.ask("SELECT id FROM inbox_work")))));
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
                somebody.commit();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldReplayGoesBesideOneThatIsSkippingAMessage(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            LocalDateTime longAgo = LocalDateTime.of(2020, 1, 1, 0, 0);
            Object key = server.parameter(lab.keyOf(StoreLab.message()));
            try (Connection before = workshop.dataSource().getConnection()) {
                execute(
                        before,
                        "INSERT INTO inbox_replay (name, consumer_id, recovery, state, cutoff, mark, position, done, skipped,"
                                + " who, why, created_at, updated_at)"
                                + " VALUES ('a', 1, FALSE, 'FINISHED', 0, 0, 0, 0, 3, 'ann', 'a test', ?, ?)",
                        longAgo,
                        longAgo);
                for (int place = 1; place <= 3; place++) {
                    skip(before, "a", place, key);
                }
            }

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                skip(somebody, "b", 1, key);
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                assertThat(workshop.ask("SELECT count(*) FROM inbox_replay")).isEqualTo("0");
                somebody.commit();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_replay_skipped"))
                    .isEqualTo("1");
        }
    }

    private static void skip(Connection connection, String replay, int place, Object key) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_replay_skipped (replay, place, message_key, error) VALUES (?, ?, ?, '')",
                replay,
                place,
                key);
    }

    private static void receive(StoreLab lab, List<ReceivedMessage> messages) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(
                    lab.consumer(),
                    messages.stream().map(ReceivedMessage::key).sorted().toList(),
                    StoreLab.LONG);
            transaction.receive(lab.consumer(), messages);
            transaction.commit();
        }
    }

    private static void bury(JdbcStore store, String consumer, int count) {
        Inbox.builder(consumer, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new PermanentFailure("dead");
                })
                .build()
                .process(IntStream.range(0, count)
                        .mapToObj(i -> StoreLab.message())
                        .toList());
    }

    /** One of each table. The ledger's is in digest form. */
    private static void addRows(DatabaseServer server, StoreLab lab, Connection connection, LocalDateTime at)
            throws SQLException {
        Object key = server.parameter(lab.keyOf(StoreLab.message()));
        execute(
                connection,
                "INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at) VALUES (1, ?, ?)",
                key,
                at);
        addAttempt(connection, key, at);
        execute(
                connection,
                "INSERT INTO inbox_audit (at, who, why, action, consumer, detail, affected)"
                        + " VALUES (?, 'ann', 'a test', 'PAUSE', 'c', '', 1)",
                at);
    }

    private static void addAttempt(Connection connection, Object key, LocalDateTime at) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,"
                        + " message, stack) VALUES (1, ?, 1, 'n', ?, 1, '', '', '')",
                key,
                at);
    }

    private static void execute(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }
}
