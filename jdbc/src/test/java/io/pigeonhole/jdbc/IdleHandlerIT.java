package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that stay away from the database for longer than they may, and then send something. */
@Tag("full")
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.HandlerTimeoutIT#servers")
@Tag("B11")
class IdleHandlerIT {
    private static final int SMALL = 10;
    /** More than a socket takes at once. */
    private static final int LARGE = 4_000_000;

    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();
    private final AtomicInteger runs = new AtomicInteger();
    private final Queue<SQLException> hidden = new ConcurrentLinkedQueue<>();

    IdleHandlerIT(DatabaseServer server) {
        workshop = server.schema();
        workshop.execute("CREATE TABLE note (text " + (server instanceof MariaDbServer ? "longtext" : "text") + ")");
        pool.setDataSource(workshop.dataSource());
        pool.setMaximumPoolSize(2);
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    /** A handler sends something of a size, after it was idle. */
    @FunctionalInterface
    private interface Sending {
        void send(JdbcContext context, String text) throws SQLException;
    }

    private List<Outcome> process(int size, Sending sending) {
        Inbox<JdbcContext> inbox = Inbox.builder("it " + UUID.randomUUID(), JdbcStore.create(pool))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("away")) {
                        runs.incrementAndGet();
                        long begun = System.nanoTime();
                        await().until(() -> System.nanoTime() - begun
                                > Duration.ofMillis(2_500).toNanos());
                        sending.send(context, "x".repeat(size));
                    }
                })
                .handlerTimeout(Duration.ofSeconds(1))
                .build();
        return inbox.process(List.of(message("away"), message("other")));
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload(payload)
                .build();
    }

    private void assertOwnFailedAttempt(List<Outcome> outcomes) {
        assertThat(outcomes.get(0).kind()).isEqualTo(Kind.PARKED);
        // Where the whole transaction is lost, the next may take as long: it comes later, so that this is committed.
        assertThat(outcomes.get(1).kind()).isIn(Kind.RECEIVED, Kind.PROCESSED);
        assertThat(runs.get()).isLessThanOrEqualTo(2);
        assertThat(workshop.askAll("SELECT text FROM note")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void whoDefersSomethingThenHasFailedAtItOnce(int size) {
        assertOwnFailedAttempt(process(size, (context, text) -> context.defer("INSERT INTO note VALUES (?)", text)));
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void soHasWhoExecutesSomethingThen(int size) {
        assertOwnFailedAttempt(process(size, (context, text) -> {
            Connection connection = context.connection();
            try (PreparedStatement statement = connection.prepareStatement("INSERT INTO note VALUES (?)")) {
                statement.setString(1, text);
                statement.executeUpdate();
            }
        }));
    }

    @Test
    void soHasWhoHidesWhatIsThrownThen() {
        assertOwnFailedAttempt(process(LARGE, (context, text) -> {
            try (PreparedStatement statement = context.connection().prepareStatement("INSERT INTO note VALUES (?)")) {
                statement.setString(1, text);
                statement.executeUpdate();
            } catch (SQLException e) {
                hidden.add(e);
            }
        }));
    }
}
