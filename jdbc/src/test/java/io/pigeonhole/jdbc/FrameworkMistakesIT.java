package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.kinds;
import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.retry.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a framework, or a handler past the guard of its connection, does wrong with transactions. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.DeferredParameterIT#servers")
class FrameworkMistakesIT {
    private final DatabaseServer server;
    private final Workshop workshop;
    private final ThreadBoundTransactions framework;
    private final AtomicBoolean done = new AtomicBoolean();

    FrameworkMistakesIT(DatabaseServer server) {
        this.server = server;
        workshop = server.schema();
        framework = new ThreadBoundTransactions(workshop.dataSource());
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    /** Another way to begin a transaction. */
    @FunctionalInterface
    private interface Beginning {
        OwnTransaction begin() throws SQLException;
    }

    private Inbox<JdbcContext> inbox(Beginning beginning, Handler<String, JdbcContext> handler) {
        JdbcTransactions transactions = new JdbcTransactions() {
            @Override
            public OwnTransaction begin() throws SQLException {
                return beginning.begin();
            }

            @Override
            public Optional<JoinedTransaction> current() {
                return framework.current();
            }
        };
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .transactions(transactions)
                .build();
        return Inbox.builder("it", store)
                .handle("note", PayloadDecoder.text(), handler)
                .build();
    }

    private void write(String text) throws SQLException {
        execute("INSERT INTO effect (text) VALUES ('" + text + "')");
    }

    private void execute(String sql) throws SQLException {
        SessionLab.execute(framework.bound().connection(), sql);
    }

    @Test
    void connectionThatCommitsEachStatementIsRefused() {
        Inbox<JdbcContext> inbox = inbox(
                () -> {
                    OwnTransaction begun = framework.begin();
                    begun.connection().setAutoCommit(true);
                    return begun;
                },
                (payload, context) -> write(payload));
        assertThatThrownBy(() -> inbox.process(messages("x")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("auto-commit");
        assertThat(workshop.askAll("SELECT text FROM effect")).isEmpty();
        assertThat(framework.current()).isEmpty();
    }

    @Test
    void whatAFrameworkThrowsInsteadOfBeginningIsNamed() {
        Inbox<JdbcContext> inbox = inbox(
                () -> {
                    throw new IllegalArgumentException("no such unit");
                },
                (payload, context) -> write(payload));
        assertThatThrownBy(() -> inbox.process(messages("x")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the framework begins no transaction")
                .hasMessageContaining("no such unit");
    }

    /** As callbacks do that a framework calls while the connection is bound still. */
    @Test
    void whatIsReadBehindTheCommitLeavesNothingInTheLedger() {
        Inbox<JdbcContext> inbox = inbox(
                () -> {
                    OwnTransaction begun = framework.begin();
                    framework.bound().behindCommit(() -> {
                        try {
                            SessionLab.ask(begun.connection(), "SELECT count(*) FROM effect");
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    });
                    return begun;
                },
                (payload, context) -> write(payload));
        messages("x", "y").forEach(inbox::receive);

        assertThat(inbox.work()).isEqualTo(2);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("x", "y");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("2");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
    }

    /** Then nobody looks what became of the transaction, which says nothing against it. */
    @Test
    void whatIsCommittedIsKnownWhereTheConnectionIsReleasedBehindTheCommit() {
        Inbox<JdbcContext> inbox = inbox(
                () -> {
                    OwnTransaction begun = framework.begin();
                    framework.bound().releaseInClose();
                    return begun;
                },
                (payload, context) -> write(payload));
        assertThat(kinds(inbox.process(messages("a", "b")))).containsOnly(Kind.PROCESSED);
        messages("x", "y").forEach(inbox::receive);

        assertThat(inbox.work()).isEqualTo(2);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("a", "b", "x", "y");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
    }

    /** On MariaDB and H2 a deadlock leaves the same behind. */
    @Test
    void transactionThatIsRolledBackPastTheGuardRunsAgainOneByOne() {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            if (payload.equals("second") && done.compareAndSet(false, true)) {
                execute("ROLLBACK");
            }
        });
        if (server instanceof PostgresServer) {
            assertThatThrownBy(() -> inbox.process(messages("first", "second", "third")))
                    .isInstanceOf(ConfigurationException.class);
            return;
        }
        assertThat(kinds(inbox.process(messages("first", "second", "third")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place"))
                .containsExactly("first", "second", "third");
    }

    @Test
    void messageWhoseTransactionIsRolledBackEachTimeFailsAndIsToldWhy() {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            if (payload.equals("second")) {
                execute("ROLLBACK");
            }
        });
        if (server instanceof PostgresServer) {
            return;
        }
        assertThat(kinds(inbox.process(messages("first", "second", "third"))))
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(workshop.ask("SELECT message FROM inbox_attempt")).contains("deadlock", "ROLLBACK");
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("first", "third");
    }

    @Test
    void transactionThatAHandlerCommitsPastTheGuardIsNamed() {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            execute("COMMIT");
        });
        assertThatThrownBy(() -> inbox.process(messages("first", "second")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a handler ended the transaction by itself");
    }

    /** Each run is committed: so there must not be many. */
    @Test
    void messageInWorkThatEndsItsTransactionDoesNotRunWithoutEnd() {
        JdbcStore store =
                JdbcStore.builder(workshop.dataSource()).transactions(framework).build();
        Inbox<JdbcContext> inbox = Inbox.builder("it", store)
                .retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2))
                .lease(Duration.ofSeconds(1))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    write(payload);
                    execute("COMMIT");
                })
                .build();
        inbox.receive(messages("only"));
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try {
                inbox.work();
            } catch (ConfigurationException e) {
                assertThat(e).hasMessageContaining("a handler ended the transaction by itself");
            }
            return workshop.ask("SELECT count(*) FROM inbox_dead_letter").equals("1");
        });
        assertThat(workshop.askAll("SELECT text FROM effect")).hasSizeBetween(1, 3);
    }

    private void commitThroughTheFramework(String how) throws SQLException {
        OwnTransaction bound = framework.bound();
        if (how.equals("by itself and close")) {
            execute("COMMIT");
            bound.connection().close();
        } else {
            bound.commit();
        }
        if (how.equals("and throw")) {
            throw new IllegalStateException("this thread is in no transaction");
        }
    }

    /** The connection is given back then, and all that was claimed is in the ledger. */
    @ParameterizedTest
    @ValueSource(strings = {"and go on", "and throw", "by itself and close"})
    void messagesThatAHandlerCommitsThroughItsFrameworkAreNotTakenForDuplicates(String how) {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            if (payload.equals("second")) {
                commitThroughTheFramework(how);
            }
        });
        assertThatThrownBy(() -> inbox.process(messages("first", "second", "third")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a handler ended the transaction by itself");
        assertThat(framework.current()).isEmpty();
    }

    private void rollBackWithinCommit() {
        framework.bound().withinCommit(() -> {
            try {
                execute("ROLLBACK");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** As a deadlock does that a callback meets and hides. */
    @Test
    void messageThatIsRolledBackWithinTheCommitIsNotTakenForCommitted() {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            if (done.compareAndSet(false, true)) {
                rollBackWithinCommit();
            }
        });
        if (server instanceof PostgresServer) {
            return;
        }
        assertThat(kinds(inbox.process(messages("first", "second")))).containsOnly(Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY place")).containsExactly("first", "second");
    }

    @Test
    void messageThatIsRolledBackWithinTheCommitEachTimeFails() {
        Inbox<JdbcContext> inbox = inbox(framework::begin, (payload, context) -> {
            write(payload);
            if (payload.equals("second")) {
                rollBackWithinCommit();
            }
        });
        if (server instanceof PostgresServer) {
            return;
        }
        assertThat(kinds(inbox.process(messages("first", "second")))).containsExactly(Kind.PROCESSED, Kind.PARKED);
        assertThat(workshop.ask("SELECT message FROM inbox_attempt")).contains("within the commit");
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("first");
    }
}
