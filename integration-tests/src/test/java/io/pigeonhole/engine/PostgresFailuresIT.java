package io.pigeonhole.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.OwnThread;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can only happen on a real database: its errors, its locks, its COMMIT, its absence. */
@Tag("full")
@OnEveryServer
class PostgresFailuresIT {
    private static final String TYPE = "work";
    private static final Pattern PORT = Pattern.compile(":(\\d+)/");

    private final Workshop database;
    private final AtomicInteger rollbacks = new AtomicInteger();

    PostgresFailuresIT(PostgresServer server) {
        this.database = server.schema();
    }

    @BeforeEach
    void createBusinessTables() {
        database.execute("CREATE TABLE did (id text NOT NULL)");
        database.execute("CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL)");
        database.execute("INSERT INTO account SELECT n, 0 FROM generate_series(1, 10) AS n");
        database.execute("CREATE TABLE child (parent integer REFERENCES account DEFERRABLE INITIALLY DEFERRED)");
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void aFailureThatShowsOnlyAtCommitParksItsMessageAndCommitsTheOthers() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m137")) {
                context.defer("INSERT INTO child (parent) VALUES (?)", 4711);
            }
        });

        List<Outcome> outcomes = inbox.process(messages(500));

        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(499);
        assertThat(outcomes.get(137)).isInstanceOf(Outcome.Parked.class);
        assertThat(effects()).hasSize(499).doesNotHaveDuplicates().doesNotContain("m137");
        assertThat(database.askAll("SELECT encode(message_id, 'escape') FROM inbox_work"))
                .containsExactly("m137");
    }

    @Test
    void aHandlerThatHidesAnSqlExceptionIsParkedAndTheOthersCommit() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m23")) {
                try (Statement statement = context.connection().createStatement()) {
                    statement.execute("SELECT 1 / 0");
                } catch (SQLException hidden) {
                    // As careless code does.
                }
            }
        });

        List<Outcome> outcomes = inbox.process(messages(100));

        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(99);
        assertThat(outcomes.get(23)).isInstanceOf(Outcome.Parked.class);
        assertThat(effects()).hasSize(99).doesNotHaveDuplicates().doesNotContain("m23");
    }

    @Test
    void theLastHandlerHidingAnSqlExceptionIsFoundByTheProofBeforeCommit() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            try (Statement statement = context.connection().createStatement()) {
                statement.execute("SELECT 1 / 0");
            } catch (SQLException hidden) {
                // As careless code does.
            }
        });

        assertThat(inbox.process(message("only"))).isInstanceOf(Outcome.Parked.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void aFailingDeferredWriteIsTracedBackToItsMessage() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            context.defer("INSERT INTO did (id) VALUES (?)", id.equals("m42") ? null : id);
        });

        List<Outcome> outcomes = inbox.process(messages(100));

        assertThat(outcomes.get(42)).isInstanceOf(Outcome.Parked.class);
        assertThat(effects()).hasSize(99).doesNotHaveDuplicates();
    }

    @Test
    void aDeferredUpdateThatFindsNoRowFailsWhereOneWasExpected() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            context.defer("INSERT INTO did (id) VALUES (?)", id);
            context.deferExpecting(
                    1, "UPDATE account SET balance = balance + 1 WHERE id = ?", id.equals("m5") ? 4711 : 1);
        });

        List<Outcome> outcomes = inbox.process(messages(20));

        assertThat(outcomes.get(5)).isInstanceOf(Outcome.Parked.class);
        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(19);
        assertThat(database.askAll("SELECT balance FROM account WHERE id = 1")).containsExactly("19");
        assertThat(effects()).doesNotContain("m5");
    }

    @Test
    void aSerializationFailureCostsNoAttempt() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m7") && calls.incrementAndGet() == 1) {
                try (Statement statement = context.connection().createStatement()) {
                    statement.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
                }
            }
        });

        assertThat(kinds(inbox.process(messages(20)), Outcome.Kind.PROCESSED)).isEqualTo(20);
        assertThat(effects()).hasSize(20).doesNotHaveDuplicates();
        assertThat(database.askAll("SELECT count(*) FROM inbox_attempt")).containsExactly("0");
        assertThat(rollbacks).hasValue(1);
    }

    @Test
    void anErrorThatClaimsToPassForEverBecomesTheFailureOfTheMessageThatRaisesIt() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m7")) {
                try (Statement statement = context.connection().createStatement()) {
                    statement.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
                }
            }
        });

        List<Outcome> outcomes = inbox.process(messages(40));

        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(39);
        assertThat(outcomes.get(7)).isInstanceOf(Outcome.Parked.class);
    }

    @Test
    void aDeadlockBetweenTwoBatchesCostsNoAttempt() throws Exception {
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        AtomicInteger first = new AtomicInteger();
        Handler<String, JdbcContext> handler = (id, context) -> {
            boolean upwards = id.startsWith("up");
            update(context, upwards ? 1 : 2);
            if (first.incrementAndGet() <= 2) {
                bothHoldOne.await(10, TimeUnit.SECONDS);
            }
            update(context, upwards ? 2 : 1);
        };
        Inbox<JdbcContext> inbox = inbox(handler);

        CompletableFuture<Outcome> up =
                CompletableFuture.supplyAsync(() -> inbox.process(message("up")), OwnThread.FOR_EACH);
        CompletableFuture<Outcome> down =
                CompletableFuture.supplyAsync(() -> inbox.process(message("down")), OwnThread.FOR_EACH);

        assertThat(up.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Processed.class);
        assertThat(down.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Processed.class);
        assertThat(rollbacks).hasValue(1);
        assertThat(database.askAll("SELECT sum(balance) FROM account")).containsExactly("4");
        assertThat(database.askAll("SELECT count(*) FROM inbox_attempt")).containsExactly("0");
    }

    @Test
    void aConcurrentDuplicateInAnotherTransactionMakesOnlyItselfBusy() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<JdbcContext> slow = inbox((id, context) -> {
            effect(id, context);
            working.countDown();
            assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
        });
        Inbox<JdbcContext> quick =
                builder(this::effect).concurrentDuplicateTimeout(ofMillis(50)).build();
        CompletableFuture<Outcome> duplicate =
                CompletableFuture.supplyAsync(() -> slow.process(message("m17")), OwnThread.FOR_EACH);
        assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();

        List<Outcome> outcomes = quick.process(messages(100));

        assertThat(outcomes.get(17)).isInstanceOf(Outcome.Busy.class);
        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(99);
        mayEnd.countDown();
        assertThat(duplicate.get(10, TimeUnit.SECONDS)).isInstanceOf(Outcome.Processed.class);
        assertThat(quick.process(message("m17"))).isInstanceOf(Outcome.Duplicate.class);
        assertThat(effects()).hasSize(100).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(value = CuttingProxy.Cut.class, names = "NEVER", mode = EnumSource.Mode.EXCLUDE)
    void whenTheConnectionIsLostDuringCommitHandingInAgainSettlesIt(CuttingProxy.Cut cut) throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(port())) {
            Inbox<JdbcContext> inbox =
                    builder(JdbcStore.create(through(proxy)), this::effect).build();
            proxy.cutNextCommit(cut);

            assertThatThrownBy(() -> inbox.process(messages(10))).isInstanceOf(OutcomeUnknownException.class);
            List<Outcome> again = inbox.process(messages(10));

            Outcome.Kind expected =
                    cut == CuttingProxy.Cut.AFTER_THE_SERVER_ANSWERS ? Outcome.Kind.DUPLICATE : Outcome.Kind.PROCESSED;
            assertThat(kinds(again, expected)).isEqualTo(10);
            assertThat(effects()).hasSize(10).doesNotHaveDuplicates();
            assertThat(database.askAll("SELECT count(*) FROM inbox_attempt")).containsExactly("0");
        }
    }

    @Test
    void aConnectionThatIsKilledInTheMiddleCostsNoAttempt() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m3") && calls.incrementAndGet() == 1) {
                killBackendOf(context);
            }
        });

        assertThat(kinds(inbox.process(messages(10)), Outcome.Kind.PROCESSED)).isEqualTo(10);
        assertThat(effects()).hasSize(10).doesNotHaveDuplicates();
        assertThat(database.askAll("SELECT count(*) FROM inbox_attempt")).containsExactly("0");
    }

    @Test
    void aMessageThatKillsItsConnectionEveryTimeIsParkedAndTheOthersCommit() {
        Inbox<JdbcContext> inbox = inbox((id, context) -> {
            effect(id, context);
            if (id.equals("m3")) {
                killBackendOf(context);
            }
        });

        List<Outcome> outcomes = inbox.process(messages(10));

        assertThat(outcomes.get(3)).isInstanceOf(Outcome.Parked.class);
        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(9);
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates().doesNotContain("m3");
    }

    @Test
    void aHandlerThatStaysIdleTooLongIsParkedAndNobodyElse() {
        Inbox<JdbcContext> inbox = builder((id, context) -> {
                    effect(id, context);
                    if (id.equals("m3")) {
                        String backend = backendOf(context);
                        await().atMost(ofSeconds(10))
                                .until(() -> database.askAll("SELECT 1 FROM pg_stat_activity WHERE pid = " + backend)
                                        .isEmpty());
                    }
                })
                .handlerTimeout(ofSeconds(1))
                .build();

        List<Outcome> outcomes = inbox.process(messages(10));

        assertThat(outcomes.get(3)).isInstanceOf(Outcome.Parked.class);
        assertThat(kinds(outcomes, Outcome.Kind.PROCESSED)).isEqualTo(9);
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates().doesNotContain("m3");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsNobodysFailure() throws Exception {
        CuttingProxy proxy = new CuttingProxy(port());
        Inbox<JdbcContext> inbox =
                builder(JdbcStore.create(through(proxy)), this::effect).build();
        proxy.close();

        assertThatThrownBy(() -> inbox.process(messages(3))).isInstanceOf(StoreUnavailableException.class);
        assertThat(database.askAll("SELECT count(*) FROM inbox_ledger")).containsExactly("0");
    }

    @Test
    void aRolledBackClaimOfTheCallersOwnTransactionLeavesTheMessageNew() throws SQLException {
        JdbcStore store = JdbcStore.create(database.dataSource());
        Inbox<JdbcContext> inbox = builder(store, this::effect).build();
        Message message = message("mine");
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(inbox.claim(message, store.ledger(connection))).isTrue();
            assertThat(inbox.claim(message, store.ledger(connection))).isFalse();
            connection.rollback();
            assertThat(inbox.contains(message, store.ledger(connection))).isFalse();
            assertThat(inbox.claim(message, store.ledger(connection))).isTrue();
            connection.commit();
            assertThat(inbox.contains(message, store.ledger(connection))).isTrue();
            connection.rollback();
        }
        assertThat(inbox.process(message)).isInstanceOf(Outcome.Duplicate.class);
    }

    private int port() {
        Matcher matcher = PORT.matcher(database.url());
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private DataSource through(CuttingProxy proxy) {
        return PostgresServers.dataSource(PORT.matcher(database.url()).replaceFirst(":" + proxy.port() + "/"));
    }

    private Inbox<JdbcContext> inbox(Handler<String, JdbcContext> handler) {
        return builder(handler).build();
    }

    private InboxBuilder<JdbcContext> builder(Handler<String, JdbcContext> handler) {
        return builder(JdbcStore.create(database.dataSource()), handler);
    }

    private InboxBuilder<JdbcContext> builder(JdbcStore store, Handler<String, JdbcContext> handler) {
        return Inbox.builder("worker", store)
                .handle(TYPE, PayloadDecoder.text(), handler)
                .listener(new InboxListener() {
                    @Override
                    public void onRollback(String consumer, int messages, Throwable cause) {
                        rollbacks.incrementAndGet();
                    }
                });
    }

    private void effect(String id, JdbcContext context) {
        context.defer("INSERT INTO did (id) VALUES (?)", id);
    }

    private static void update(JdbcContext context, int account) throws SQLException {
        try (Statement statement = context.connection().createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = " + account);
        }
    }

    private static String backendOf(JdbcContext context) throws SQLException {
        try (Statement statement = context.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }

    private void killBackendOf(JdbcContext context) throws SQLException {
        database.execute("SELECT pg_terminate_backend(" + backendOf(context) + ")");
    }

    private static Message message(String id) {
        return Message.builder("queue").id(id).type(TYPE).payload(id).build();
    }

    private static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message("m" + i)).toList();
    }

    private static long kinds(List<Outcome> outcomes, Outcome.Kind kind) {
        return outcomes.stream().filter(outcome -> outcome.kind() == kind).count();
    }

    private List<String> effects() {
        return database.askAll("SELECT id FROM did");
    }
}
