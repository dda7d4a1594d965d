package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.io.InputStream;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A handler that goes on after a lost lock, as if its statement had done something, commits nothing of it. */
@Tag("F18")
class HiddenLockErrorIT {
    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageWhoseHandlerHidesItIsParkedAndTheOthersTakeEffectWhole(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection inTheWay = workshop.dataSource().getConnection()) {
            workshop.execute("CREATE TABLE account (id integer PRIMARY KEY, balance integer)");
            workshop.execute("INSERT INTO account VALUES (1, 0), (2, 0)");
            inTheWay.setAutoCommit(false);
            execute(inTheWay, "UPDATE account SET balance = 100 WHERE id = 2");
            Inbox<JdbcContext> inbox = Inbox.builder("transfers", JdbcStore.create(workshop.dataSource()))
                    .handle("transfer", PayloadDecoder.text(), (text, context) -> {
                        if (text.equals("third")) {
                            inTheWay.rollback();
                        }
                        transfer(context.connection());
                    })
                    .build();

            List<Outcome> outcomes = inbox.process(messages("first", "second", "third"));

            assertThat(outcomes)
                    .extracting(Outcome::kind)
                    .containsOnly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED)
                    .last()
                    .isEqualTo(Outcome.Kind.PROCESSED);
            long done = outcomes.stream()
                    .filter(outcome -> outcome.kind() == Outcome.Kind.PROCESSED)
                    .count();
            assertThat(workshop.askAll("SELECT balance FROM account ORDER BY id"))
                    .containsExactly("-" + done, "" + done);
        }
    }

    /** MariaDB's driver hands out what a stream of the handler's threw, as a cause. */
    @ParameterizedTest
    @MethodSource("servers")
    @Tag("B3")
    void exceptionWhoseCausesFormACycleIsTheFailureOfItsMessage(DatabaseServer server) {
        IOException first = new IOException("first");
        IOException second = new IOException("second", first);
        first.initCause(second);
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw second;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                throw second;
            }
        };
        try (Workshop workshop = server.schema()) {
            workshop.execute("CREATE TABLE doc (bytes "
                    + (server instanceof PostgresServer ? "bytea" : server instanceof H2Server ? "varbinary" : "blob")
                    + ")");
            Inbox<JdbcContext> inbox = Inbox.builder("cycles", JdbcStore.create(workshop.dataSource()))
                    .handle("transfer", PayloadDecoder.text(), (text, context) -> {
                        try (PreparedStatement insert =
                                context.connection().prepareStatement("INSERT INTO doc VALUES (?)")) {
                            insert.setBinaryStream(1, failing);
                            insert.executeUpdate();
                        }
                    })
                    .build();

            Outcome outcome = assertTimeoutPreemptively(
                    Duration.ofSeconds(30), () -> inbox.process(messages("x")).get(0));
            assertThat(outcome.kind()).isEqualTo(Outcome.Kind.PARKED);
        }
    }

    /** H2's driver goes on with the batch, and names the lost lock behind the duplicate. MariaDB's names the duplicate only. */
    @Test
    void lostLockBehindAnotherErrorOfABatchIsFound() throws SQLException {
        try (Workshop workshop = H2Server.FILES.schema();
                Connection inTheWay = workshop.dataSource().getConnection()) {
            workshop.execute("CREATE TABLE line (id integer PRIMARY KEY)");
            workshop.execute("INSERT INTO line VALUES (1)");
            inTheWay.setAutoCommit(false);
            execute(inTheWay, "INSERT INTO line VALUES (2)");
            int manyDuplicates = 150;
            Inbox<JdbcContext> inbox = Inbox.builder("orders", JdbcStore.create(workshop.dataSource()))
                    .handle("transfer", PayloadDecoder.text(), (text, context) -> {
                        try (Statement batch = context.connection().createStatement()) {
                            for (int i = 0; i < manyDuplicates; i++) {
                                batch.addBatch("INSERT INTO line VALUES (1)");
                            }
                            batch.addBatch("INSERT INTO line VALUES (2)");
                            batch.addBatch("INSERT INTO line VALUES (3)");
                            batch.executeBatch();
                        } catch (BatchUpdateException e) {
                            assertThat(e.getErrorCode())
                                    .as("that it is there already")
                                    .isEqualTo(23_505);
                        }
                    })
                    .build();

            assertThat(inbox.process(messages("order")).get(0).kind()).isEqualTo(Outcome.Kind.PARKED);
            assertThat(workshop.askAll("SELECT id FROM line")).containsExactly("1");
        }
    }

    /** Its second half is left out where somebody else has the row. */
    private static void transfer(Connection connection) throws SQLException {
        execute(connection, "UPDATE account SET balance = balance - 1 WHERE id = 1");
        try {
            execute(connection, "SELECT balance FROM account WHERE id = 2 FOR UPDATE NOWAIT");
            execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 2");
        } catch (SQLException e) {
            // Hidden: the handler ends as if it had done all of its work.
        }
    }

    private static List<Message> messages(String... payloads) {
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) {
            messages.add(Message.builder("bank")
                    .id("transfer " + UUID.randomUUID())
                    .type("transfer")
                    .payload(payload)
                    .build());
        }
        return messages;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
