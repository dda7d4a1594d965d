package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behind a PgBouncer in transaction mode, whose two connections eight threads share, transaction by transaction. */
@Tag("full")
class PgBouncerIT {
    private static final int THREADS = 8;
    private static final int MESSAGES = 400;

    private static final String SETTINGS = """
            SELECT pg_backend_pid() || ' ' || concat_ws(',', current_setting('lock_timeout'),
                current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
                current_setting('transaction_isolation'), nullif(current_setting('pigeonhole.session', true), ''))""";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final List<AutoCloseable> opened = new ArrayList<>(List.of(workshop));

    @SuppressWarnings("NullAway.Init")
    private HikariDataSource pool;

    @SuppressWarnings("NullAway.Init")
    private JdbcStore store;

    @BeforeEach
    void start() throws IOException {
        Optional<Path> program = PgBouncer.program();
        Assumptions.assumeTrue(program.isPresent(), "there is no pgbouncer on the path, and PGBOUNCER names none");
        PgBouncer bouncer = PgBouncer.start(program.orElseThrow(), workshop, directory);
        opened.add(bouncer);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(bouncer.url());
        config.setMaximumPoolSize(THREADS);
        pool = new HikariDataSource(config);
        opened.add(pool);
        store = JdbcStore.create(pool);
    }

    @AfterEach
    void stop() throws Exception {
        Collections.reverse(opened);
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Inbox<JdbcContext> inbox() {
        return Inbox.builder("notes", store)
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (text, context) -> context.defer("INSERT INTO effect (text) VALUES (?)", text))
                .build();
    }

    @Test
    void singleMessagesTakeEffectOnceAndLeaveNothingInTheSession() throws Exception {
        Inbox<JdbcContext> inbox = inbox();
        List<String> before = settings();

        handInTwice(messages -> messages.stream().map(inbox::process).toList());

        assertThat(workshop.ask("SELECT count(*) || ' ' || count(DISTINCT text) FROM effect"))
                .isEqualTo(MESSAGES + " " + MESSAGES);
        assertThat(settings()).isSubsetOf(before);
    }

    @Test
    void batchesTakeEffectOnceAndLeaveNothingInTheSession() throws Exception {
        Inbox<JdbcContext> inbox = inbox();
        List<String> before = settings();

        handInTwice(inbox::process);

        assertThat(workshop.ask("SELECT count(*) || ' ' || count(DISTINCT text) FROM effect"))
                .isEqualTo(MESSAGES + " " + MESSAGES);
        assertThat(settings()).isSubsetOf(before);
    }

    @Test
    void claimsByHandTakeEffectOnceAndLeaveNothingInTheSession() throws Exception {
        Inbox<JdbcContext> inbox = inbox();
        List<String> before = settings();

        handInTwice(messages ->
                messages.stream().map(message -> claim(inbox, message)).toList());

        assertThat(workshop.ask("SELECT count(*) || ' ' || count(DISTINCT text) FROM effect"))
                .isEqualTo(MESSAGES + " " + MESSAGES);
        assertThat(settings()).isSubsetOf(before);
    }

    private boolean claim(Inbox<JdbcContext> inbox, Message message) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            boolean isNew = inbox.claim(message, store.ledger(connection));
            if (isNew) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("INSERT INTO effect (text) VALUES ('" + message.id() + "')");
                }
            }
            connection.commit();
            return isNew;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Each thread hands in all messages of its share twice, and shares overlap. */
    private static void handInTwice(Step step) throws Exception {
        List<Message> messages = IntStream.range(0, MESSAGES)
                .mapToObj(i -> Message.builder("notes")
                        .id("id " + i)
                        .type("note")
                        .payload("text " + i)
                        .build())
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<List<?>>> calls = new ArrayList<>();
            int share = MESSAGES / THREADS;
            for (int i = 0; i < 2 * THREADS; i++) {
                List<Message> part = messages.subList(i % THREADS * share, (i % THREADS + 1) * share);
                calls.add(() -> List.copyOf(step.hand(part)));
            }
            for (Future<List<?>> call : threads.invokeAll(calls)) {
                call.get();
            }
            for (Object outcome : step.hand(messages)) {
                assertThat(outcome).isNotInstanceOf(Outcome.Processed.class).isNotEqualTo(true);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Step {
        List<?> hand(List<Message> messages);
    }

    /** What the connections to the server have, each with its number. */
    private List<String> settings() throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection first = pool.getConnection();
                Connection second = pool.getConnection()) {
            // In transactions that are open at once they are two.
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            for (Connection connection : List.of(first, second)) {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery(SETTINGS)) {
                    row.next();
                    all.add(row.getString(1));
                }
            }
            first.rollback();
            second.rollback();
        }
        return all;
    }
}
