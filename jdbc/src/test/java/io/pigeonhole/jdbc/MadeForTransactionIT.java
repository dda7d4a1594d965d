package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a handler makes for the transaction on PostgreSQL ends with the handler: the transaction is that of the other messages of the batch,
 * too.
 */
@OnEmbeddedServer
@Tag("A1")
class MadeForTransactionIT {
    private static final int MESSAGES = 20;

    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();
    private final JdbcStore store;

    MadeForTransactionIT(PostgresServer server) {
        workshop = server.schema();
        pool.setDataSource(workshop.dataSource());
        pool.setMaximumPoolSize(1);
        store = JdbcStore.create(pool);
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    /** A handler's SQL, in which a question mark is the payload. */
    private static void execute(JdbcContext context, String payload, String... statements) throws SQLException {
        try (Statement statement = context.connection().createStatement()) {
            for (String sql : statements) {
                statement.execute(sql.replace("?", "'" + payload + "'"));
            }
        }
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return Inbox.builder("it " + UUID.randomUUID(), store)
                .handle("note", PayloadDecoder.text(), handler)
                .retry(RetryPolicy.fixed(Duration.ofDays(1)).maxAttempts(2))
                .build();
    }

    private static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i -> Message.builder("notes")
                        .id(UUID.randomUUID().toString())
                        .type("note")
                        .payload("" + i)
                        .build())
                .toList();
    }

    private void assertProcessedOnce(List<Outcome> outcomes) {
        assertThat(outcomes).hasSize(MESSAGES).containsOnly(new Outcome.Processed());
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY CAST(text AS integer)"))
                .containsExactlyElementsOf(
                        IntStream.range(0, MESSAGES).mapToObj(i -> "" + i).toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMP TABLE staging (t text) ON COMMIT DROP",
                "CREATE TEMPORARY TABLE IF NOT EXISTS staging (t text) ON COMMIT DROP",
                "CREATE /* of this message */ TEMP TABLE staging (t text) ON COMMIT DROP",
                "create local temp table staging ON COMMIT DROP AS SELECT CAST(NULL AS text) AS t WHERE false",
                "DO $$ BEGIN CREATE TEMP TABLE staging (t text) ON COMMIT DROP; END $$"
            })
    void temporaryTableOfAHandlerIsNotThatOfTheNext(String creation) {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> execute(
                context,
                payload,
                creation,
                "INSERT INTO staging VALUES (?)",
                "INSERT INTO effect (text) SELECT t FROM staging"));

        assertProcessedOnce(inbox.process(messages()));
    }

    @Test
    void temporaryTableThatHidesAPermanentOneTakesNoWritesOfOtherHandlers() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, payload, "INSERT INTO effect (text) VALUES (?)");
            if (payload.equals("7")) {
                execute(context, payload, "CREATE TEMP TABLE effect (text text) ON COMMIT DROP");
            }
        });

        assertProcessedOnce(inbox.process(messages()));
    }

    @Test
    void cursorOfAHandlerIsNotThatOfTheNext() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> execute(
                context,
                payload,
                "DECLARE notes CURSOR FOR SELECT ?",
                "FETCH 1 FROM notes",
                "INSERT INTO effect (text) VALUES (?)"));

        assertProcessedOnce(inbox.process(messages()));
    }

    @Test
    void handlersAreIsolatedWhereOneOfThemFailsBehindItsTable() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, payload, "CREATE TEMP TABLE staging (t text) ON COMMIT DROP");
            if (payload.equals("3")) {
                execute(context, payload, "INSERT INTO nowhere VALUES (1)");
            }
            if (payload.equals("5")) {
                throw new IllegalStateException("not this one");
            }
            execute(context, payload, "INSERT INTO effect (text) VALUES (?)");
        });

        List<Outcome> outcomes = inbox.process(messages());

        assertThat(outcomes.stream().filter(outcome -> outcome.kind() == Outcome.Kind.PROCESSED))
                .hasSize(MESSAGES - 2);
        assertThat(Stream.of(3, 5).map(outcomes::get).map(Outcome::kind)).doesNotContain(Outcome.Kind.PROCESSED);
        assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo("" + (MESSAGES - 2));
    }

    /** As a pool's connection has one that was made when it began. */
    @Test
    void temporaryTableThatWasThereBeforeStays() throws SQLException {
        try (var connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TEMP TABLE of_the_session (t text)");
        }
        Inbox<JdbcContext> inbox = inbox((payload, context) -> execute(
                context,
                payload,
                "CREATE TEMP TABLE staging (t text) ON COMMIT DROP",
                "INSERT INTO of_the_session VALUES (?)",
                "INSERT INTO effect (text) VALUES (?)"));

        assertProcessedOnce(inbox.process(messages()));
        try (var connection = pool.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT count(*) FROM of_the_session")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(MESSAGES);
        }
    }

    @Test
    void whatIsMadeForTheTransactionIsNotDeferred() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            assertThatThrownBy(() -> context.defer("CREATE TEMP TABLE staging (t text) ON COMMIT DROP"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ends with its handler");
            context.defer("INSERT INTO effect (text) VALUES (?)", payload);
        });

        assertProcessedOnce(inbox.process(messages()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DO $$ BEGIN CREATE TEMP VIEW staging AS SELECT 1; END $$",
                "DO $$ BEGIN CREATE TEMP SEQUENCE staging; END $$",
                "DO $$ BEGIN CREATE TEMP TABLE staging (t text, number serial); END $$"
            })
    void whatABlockMakesForTheSessionEndsWithTheHandlerToo(String creation) {
        Inbox<JdbcContext> inbox = inbox(
                (payload, context) -> execute(context, payload, creation, "INSERT INTO effect (text) VALUES (?)"));

        assertProcessedOnce(inbox.process(messages()));
        assertProcessedOnce(inbox, "more");
    }

    /** One by one, each in a transaction of its own on the same connection. */
    private void assertProcessedOnce(Inbox<JdbcContext> inbox, String payload) {
        for (int i = 0; i < 2; i++) {
            Message message = Message.builder("notes")
                    .id(UUID.randomUUID().toString())
                    .type("note")
                    .payload(payload)
                    .build();
            assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
        }
        assertThat(workshop.ask("SELECT count(*) FROM effect WHERE text = '" + payload + "'"))
                .isEqualTo("2");
    }

    /** Only who owns a table may drop it: the handler's role does not, or the login does not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void temporaryTableEndsAlsoWhereTheHandlerTookAnotherRole(boolean before) {
        String role = "it_" + UUID.randomUUID().toString().replace("-", "");
        workshop.execute("CREATE ROLE " + role);
        String take = "SET LOCAL ROLE " + role;
        String make = "CREATE TEMP TABLE staging (t text) ON COMMIT DROP";
        try {
            Inbox<JdbcContext> inbox = inbox((payload, context) -> execute(
                    context,
                    payload,
                    "INSERT INTO effect (text) VALUES (?)",
                    before ? take : make,
                    before ? make : take));

            assertProcessedOnce(inbox.process(messages()));
        } finally {
            workshop.execute("DROP ROLE " + role);
        }
    }

    @Test
    void tableThatCannotBeTakenAwayIsTheFailureOfItsMessageOnly() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(context, payload, "INSERT INTO effect (text) VALUES (?)");
            if (payload.equals("7")) {
                execute(
                        context,
                        payload,
                        "CREATE TEMP TABLE parent (id integer PRIMARY KEY) ON COMMIT DROP",
                        "CREATE TEMP TABLE child (id integer REFERENCES parent DEFERRABLE INITIALLY DEFERRED)"
                                + " ON COMMIT DROP",
                        "INSERT INTO parent VALUES (1)",
                        "INSERT INTO child VALUES (1)");
            }
        });

        List<Outcome> outcomes = inbox.process(messages());

        assertThat(outcomes.stream().filter(outcome -> outcome.kind() == Outcome.Kind.PROCESSED))
                .hasSize(MESSAGES - 1);
        assertThat(outcomes.get(7).kind()).isEqualTo(Outcome.Kind.PARKED);
        assertThat(workshop.askAll("SELECT last_error FROM inbox_work"))
                .singleElement(STRING)
                .contains("temporary tables of a handler", "pending trigger events");
    }

    @Test
    void rollbackToASavepointTakesTheTableAlongWithoutAnError() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(
                    context,
                    payload,
                    "SAVEPOINT mine",
                    "CREATE TEMP TABLE staging (t text) ON COMMIT DROP",
                    "DECLARE notes CURSOR FOR SELECT 1",
                    "ROLLBACK TO SAVEPOINT mine",
                    "INSERT INTO effect (text) VALUES (?)");
        });

        assertProcessedOnce(inbox.process(messages()));
    }

    @Test
    void whatIsDeferredBehindATemporaryTableMayReadIt() {
        Inbox<JdbcContext> inbox = inbox((payload, context) -> {
            execute(
                    context,
                    payload,
                    "CREATE TEMP TABLE staging (t text) ON COMMIT DROP",
                    "INSERT INTO staging VALUES (?)");
            context.defer("INSERT INTO effect (text) SELECT t FROM staging");
        });

        assertProcessedOnce(inbox.process(messages()));
    }

    @Test
    void textInADeferredWriteMayNameWhatWouldBeMade() {
        Inbox<JdbcContext> inbox = inbox((payload, context) ->
                context.defer("INSERT INTO effect (text) SELECT ? WHERE 'declare a cursor' <> 'temp'", payload));

        assertProcessedOnce(inbox.process(messages()));
    }
}
