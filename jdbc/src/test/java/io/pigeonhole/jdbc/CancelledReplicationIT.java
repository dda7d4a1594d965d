package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A server whose synchronous standby is gone, and somebody who cancels what waits for it. */
@Tag("full")
class CancelledReplicationIT {
    private static final Duration LONG = Duration.ofSeconds(30);

    private static EmbeddedPostgres server;
    private static DataSource dataSource;

    @BeforeAll
    static void start() throws SQLException {
        server = EmbeddedPostgres.startWithoutFlush(
                Path.of(System.getProperty("pigeonhole.target", "target"), "postgres"));
        server.createDatabase("inbox");
        dataSource = server.dataSource("inbox");
        Schema.apply(dataSource);
        execute("CREATE TABLE effect (id integer)", """
                CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication due to user request'; RETURN NULL; END $$
                """, """
                CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION warn()
                """);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void commitThatNoLongerWaitsForItsStandbyIsUnknown() throws Exception {
        StoreLab lab = StoreLab.of(dataSource);
        Message message = StoreLab.message();

        assertUnknown(cancelled(() -> {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, message);
                transaction.commit();
            }
        }));

        assertThat(lab.isNew(message)).isFalse();
    }

    /** The server would not send the warning by itself. */
    @Test
    void sameWhereTheSessionWantsToHearOfErrorsOnly() throws Exception {
        PGSimpleDataSource quiet = new PGSimpleDataSource();
        quiet.setUrl(((PGSimpleDataSource) dataSource).getUrl());
        quiet.setUser(((PGSimpleDataSource) dataSource).getUser());
        quiet.setOptions("-c client_min_messages=error");
        StoreLab lab = StoreLab.of(quiet);
        Watermark from = lab.store().acquire(lab.consumer(), new LogPartition("quiet log", 0), "log");

        assertUnknown(cancelled(() -> commitWith(lab, "SELECT")));
        assertUnknown(cancelled(() -> {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                transaction.advance(lab.consumer(), List.of(new Advance(from, 7, -1)));
                transaction.commit();
            }
        }));
    }

    @Test
    void sameWhereWatermarksTravelWithTheCommit() throws Exception {
        StoreLab lab = StoreLab.of(dataSource);
        Watermark from = lab.store().acquire(lab.consumer(), new LogPartition("log", 0), "log");

        assertUnknown(cancelled(() -> {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                transaction.advance(lab.consumer(), List.of(new Advance(from, 7, -1)));
                transaction.commit();
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sameWhereAFrameworkCommits(boolean releasesInClose) throws Exception {
        ThreadBoundTransactions framework = new ThreadBoundTransactions(dataSource);
        StoreLab lab = lab(framework);
        Message message = StoreLab.message();

        assertUnknown(cancelled(() -> {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                if (releasesInClose) {
                    framework.bound().releaseInClose();
                }
                lab.claimed(transaction, message);
                transaction.commit();
            }
        }));

        assertThat(lab.isNew(message)).isFalse();
    }

    @Test
    void warningThatAConnectionHasFromAnEarlierCommitDecidesNothing() throws Exception {
        try (Connection only = dataSource.getConnection()) {
            StoreLab lab = lab(new ThreadBoundTransactions(always(only)));
            assertUnknown(cancelled(() -> commitWith(lab, "SELECT")));
            assertThat((Object) only.getWarnings()).isNotNull();

            assertThatCode(() -> commitWith(lab, "SELECT")).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DO $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication due to user request'; END $$",
                "INSERT INTO effect VALUES (1)"
            })
    void warningOfAHandlerOrATriggerIsNone(String sql) {
        assertThatCode(() -> commitWith(StoreLab.of(dataSource), sql)).doesNotThrowAnyException();
        assertThatCode(() -> commitWith(lab(new ThreadBoundTransactions(dataSource)), sql))
                .doesNotThrowAnyException();
    }

    private static StoreLab lab(JdbcTransactions framework) {
        JdbcStore store = JdbcStore.builder(dataSource).transactions(framework).build();
        return new StoreLab(store, StoreLab.of(dataSource).consumer());
    }

    private static void commitWith(StoreLab lab, String sql) throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            try (Statement statement = context.connection().createStatement()) {
                statement.execute(sql);
            }
            transaction.endContexts();
            transaction.commit();
        }
    }

    private static void assertUnknown(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("synchronous standby was cancelled");
    }

    /** What comes of something that commits, where its wait for the standby is cancelled. */
    private static Throwable cancelled(Committing committing) throws Exception {
        setStandby("lost_standby");
        try {
            CompletableFuture<Throwable> thrown = CompletableFuture.supplyAsync(() -> catchThrowable(committing::run));
            await().atMost(LONG)
                    .until(
                            () -> isTrue(
                                    "SELECT bool_or(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"));
            return thrown.get(LONG.toSeconds(), TimeUnit.SECONDS);
        } finally {
            setStandby("");
        }
    }

    /** Commits. */
    @FunctionalInterface
    private interface Committing {
        void run() throws SQLException;
    }

    /** The server takes the setting over a moment after it is loaded: a commit of ours shows when it has. */
    private static void setStandby(String name) throws SQLException {
        execute("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'", "SELECT pg_reload_conf()");
        await().atMost(LONG).until(() -> waitsForStandby() != name.isEmpty());
    }

    private static boolean waitsForStandby() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            // The driver cancels it; a statement_timeout ends before the commit.
            statement.setQueryTimeout(1);
            statement.execute("SELECT pg_logical_emit_message(true, 'test', 'commits')");
            return statement.getWarnings() != null;
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static boolean isTrue(String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** A pool that has one connection, and does not clear its warnings. */
    private static DataSource always(Connection only) {
        Connection kept = (Connection) Proxy.newProxyInstance(
                CancelledReplicationIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(only, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new PGSimpleDataSource() {
            @Override
            public Connection getConnection() {
                return kept;
            }
        };
    }
}
