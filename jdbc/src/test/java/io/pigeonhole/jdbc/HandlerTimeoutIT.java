package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers whose statements do not come back, on each database. */
@ParameterizedClass
@MethodSource("servers")
class HandlerTimeoutIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final long LONGEST_SECONDS = 40;

    private final DatabaseServer server;
    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();

    HandlerTimeoutIT(DatabaseServer server) {
        this.server = server;
        workshop = server.schema();
        workshop.execute("CREATE TABLE account (id integer PRIMARY KEY, amount integer)");
        workshop.execute("INSERT INTO account VALUES (1, 0)");
        pool.setDataSource(workshop.dataSource());
        pool.setMaximumPoolSize(1);
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload(payload)
                .build();
    }

    private Inbox<JdbcContext> inbox() {
        return Inbox.builder("it " + UUID.randomUUID(), JdbcStore.create(pool))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    try (Statement statement = context.connection().createStatement()) {
                        statement.executeUpdate("INSERT INTO effect (text) VALUES ('" + payload + "')");
                        if (payload.equals("waits")) {
                            statement.executeUpdate("UPDATE account SET amount = 1 WHERE id = 1");
                        }
                    }
                })
                .handlerTimeout(TIMEOUT)
                .build();
    }

    @Test
    @Tag("B11")
    void statementThatWaitsForALockIsCancelledAndItsMessageParked() throws Exception {
        Inbox<JdbcContext> inbox = inbox();
        try (Connection other = workshop.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeUpdate("UPDATE account SET amount = 2 WHERE id = 1");

            List<Outcome> outcomes = CompletableFuture.supplyAsync(
                            () -> inbox.process(List.of(message("before"), message("waits"), message("behind"))))
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS);

            assertThat(outcomes).extracting(Outcome::kind).containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
            other.rollback();
        }
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("before", "behind");
    }

    @Test
    @Tag("B11")
    void limitsOfTheConnectionAreAsBeforeBehindTheTransaction() throws SQLException {
        String limit = switch (server.getClass().getSimpleName()) {
            case "PostgresServer" -> "SHOW statement_timeout";
            case "MariaDbServer" -> "SELECT @@max_statement_time";
            default -> "SELECT LOCK_TIMEOUT()";
        };
        Inbox<JdbcContext> inbox = inbox();
        String before = ask(limit);

        inbox.process(message("x"));

        assertThat(ask(limit)).isEqualTo(before);
    }

    private String ask(String question) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getString(1);
        }
    }
}
