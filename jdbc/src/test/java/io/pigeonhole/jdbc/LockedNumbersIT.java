package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where numbers begin anew and somebody writes to the table for long, only those wait who get a number that is taken. */
@Tag("D1")
class LockedNumbersIT {
    private static Message message(String id) {
        return Message.builder("queue").id(id).type("note").payload(id).build();
    }

    private static Inbox<JdbcContext> failing(JdbcStore store, String name) {
        return Inbox.builder(name, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException(payload);
                })
                .retry(RetryPolicy.fixed(Duration.ofDays(1)))
                .build();
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void othersGoOnAndProgramsBeginWhileTheNumbersCannotBeMovedAhead(PostgresServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> failing = failing(store, "failing");
            Inbox<JdbcContext> good = Inbox.builder("good", store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            for (int i = 0; i < 10; i++) {
                failing.process(message("early " + i));
            }
            try (Connection other = workshop.dataSource().getConnection()) {
                other.setAutoCommit(false);
                try (Statement statement = other.createStatement()) {
                    statement.execute("SELECT setval('inbox_arrival', 1, false)");
                    statement.execute("UPDATE inbox_work SET updated_at = updated_at WHERE false");
                }
                assertThatThrownBy(() -> failing.process(message("late")))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("could not be repaired yet")
                        .hasMessageContaining("the next row of inbox_work would get the number");
                for (int i = 0; i < 4; i++) {
                    assertThat(good.process(message("good " + i)).kind()).isEqualTo(Kind.PROCESSED);
                }
                assertThatCode(() -> failing(JdbcStore.create(workshop.dataSource()), "another"))
                        .doesNotThrowAnyException();
                other.rollback();
            }
            store.maintain();

            assertThat(failing.process(message("late")).kind()).isEqualTo(Kind.PARKED);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt WHERE number > 1"))
                    .isEqualTo("0");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void counterThatIsBusyKeepsNoOtherFromBeingMovedAhead(PostgresServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> failing = failing(store, "failing");
            for (int i = 0; i < 10; i++) {
                failing.process(message("early " + i));
            }
            workshop.execute("ALTER TABLE inbox_attempt ALTER COLUMN id RESTART");
            try (Connection other = workshop.dataSource().getConnection()) {
                other.setAutoCommit(false);
                try (Statement statement = other.createStatement()) {
                    statement.execute("SELECT setval('inbox_arrival', 1, false)");
                    statement.execute("UPDATE inbox_work SET updated_at = updated_at WHERE false");
                }
                store.maintain();
                other.rollback();
            }

            workshop.execute(
                    "INSERT INTO inbox_attempt (consumer_id, message_key, started_at, number, node, duration_ms,"
                            + " error_class, message, stack) SELECT consumer_id, message_key, started_at, 2, node, duration_ms,"
                            + " error_class, message, stack FROM inbox_attempt LIMIT 1");
            assertThat(workshop.ask("SELECT max(id) FROM inbox_attempt")).isEqualTo("11");
        }
    }
}
