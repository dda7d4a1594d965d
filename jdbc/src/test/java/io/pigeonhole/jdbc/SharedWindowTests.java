package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.SkippedMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Programs with different windows work on one schema, or stand still for longer than their window. */
abstract class SharedWindowTests {
    private static final Author ANN = new Author("ann", "the clock is right");

    private final Workshop workshop;
    private final DatabaseServer.MovableClock clock;

    SharedWindowTests(DatabaseServer server) {
        workshop = server.schema();
        clock = server.clock(workshop);
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    private JdbcStore store(int days) {
        return JdbcStore.builder(clock.dataSource())
                .window(Duration.ofDays(days))
                .build();
    }

    private static RegisteredConsumer consumer(JdbcStore store) {
        return store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
    }

    private static MessageKey newKey(RegisteredConsumer consumer) {
        return consumer.keys().keyOf("notes", MessageId.of("id " + UUID.randomUUID()));
    }

    private static boolean isNew(JdbcStore store, RegisteredConsumer consumer, MessageKey key) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            Claim claim = transaction.claim(consumer, List.of(key), Duration.ofSeconds(10));
            transaction.commit();
            return claim.claimed().contains(key);
        }
    }

    /** Forgets with a clock that moved by some days and was found to be right. */
    private void forgetAfter(int days, JdbcStore store) {
        clock.advance(Duration.ofDays(days));
        store.admin().confirmClock(ANN);
        forget(store);
    }

    private static void forget(JdbcStore store) {
        store.maintain();
        while (store.retire().more()) {
            // The next piece.
        }
    }

    @Test
    @Tag("A6")
    void programWithAShorterWindowForgetsNothingThatAnotherStillNeeds() {
        JdbcStore patient = store(30);
        JdbcStore hasty = store(7);
        RegisteredConsumer consumer = consumer(patient);
        MessageKey key = newKey(consumer);
        assertThat(isNew(patient, consumer, key)).isTrue();

        forgetAfter(10, hasty);

        assertThat(isNew(patient, consumer, key)).isFalse();
        assertThat(hasty.admin().sizes().window()).isEqualTo(Duration.ofDays(30));
        forgetAfter(21, patient);
        assertThat(isNew(patient, consumer, key)).isTrue();
    }

    @Test
    @Tag("A6")
    void windowThatNoProgramConfirmsEndsAfterItsOwnTime() {
        consumer(store(30));
        JdbcStore store = store(7);

        forgetAfter(29, store);
        assertThat(store.admin().sizes().window()).isEqualTo(Duration.ofDays(30));

        forgetAfter(2, store);
        assertThat(store.admin().sizes().window()).isEqualTo(Duration.ofDays(7));
    }

    /** A node looks every hour or so, and twice a day at least, and does not confirm each time. */
    @Test
    @Tag("A6")
    void requirementOfTwoHoursHoldsBetweenTwoLooksOfItsProgram() {
        JdbcStore patient = JdbcStore.builder(clock.dataSource())
                .window(Duration.ofHours(2))
                .build();
        RegisteredConsumer consumer = consumer(patient);
        JdbcStore hasty = JdbcStore.builder(clock.dataSource())
                .window(Duration.ofHours(1))
                .build();
        clock.advance(Duration.ofMinutes(59));
        patient.maintain();
        clock.advance(Duration.ofMinutes(119));
        hasty.maintain();
        assertThat(hasty.admin().sizes().window()).isEqualTo(Duration.ofHours(2));
        clock.advance(Duration.ofHours(11));
        hasty.admin().confirmClock(ANN);
        hasty.maintain();
        assertThat(hasty.admin().sizes().window()).isEqualTo(Duration.ofHours(2));
        assertThat(isNew(hasty, consumer, newKey(consumer))).isTrue();
    }

    /** By looks that are closer than a minute, too, of which most do not move the clock. */
    @ParameterizedTest
    @ValueSource(ints = {25, 59, 61})
    @Tag("F39")
    void agesCatchUpAtTwiceTheSpeedHoweverOftenAProgramLooks(int seconds) {
        AtomicLong nanos = new AtomicLong();
        JdbcStore store =
                JdbcStore.builder(clock.dataSource()).nanos(nanos::get).build();
        store.maintain();
        workshop.execute("UPDATE inbox_clock SET trusted_at = trusted_at - INTERVAL '10' DAY");
        long before = secondsBehind();

        for (int look = 0; look < 12; look++) {
            clock.advance(Duration.ofSeconds(seconds));
            nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
            store.maintain();
        }

        assertThat(before - secondsBehind()).isBetween(12L * seconds - 90, 12L * seconds + 90);
    }

    @Test
    void transactionThatHoldsTheClockIsWarnedOfOnceAnHour() throws SQLException {
        AtomicLong nanos = new AtomicLong();
        JdbcStore store =
                JdbcStore.builder(clock.dataSource()).nanos(nanos::get).build();
        store.maintain();
        workshop.execute("UPDATE inbox_clock SET seen_at = seen_at - INTERVAL '2' MINUTE");

        List<String> warnings = warningsBesideHolding("UPDATE inbox_clock SET trusted_at = trusted_at", () -> {
            store.maintain();
            store.maintain();
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            store.maintain();
        });

        assertThat(warnings)
                .hasSize(2)
                .allSatisfy(warning ->
                        assertThat(warning).contains("nothing is deleted").contains("inbox_clock"));
    }

    @Test
    void transactionThatHoldsWhatAProgramWantsKeepsNothingElseFromBeingForgottenOrConfirmed() throws SQLException {
        JdbcStore store = store(7);
        RegisteredConsumer consumer = consumer(store);
        MessageKey key = newKey(consumer);
        assertThat(isNew(store, consumer, key)).isTrue();
        workshop.execute("UPDATE inbox_ledger SET accepted_at = accepted_at - INTERVAL '30' DAY");
        workshop.execute("UPDATE inbox_retention SET confirmed_at = confirmed_at - INTERVAL '2' HOUR");

        List<String> warnings = warningsBesideHolding(
                "UPDATE inbox_retention SET millis = millis WHERE what = 'audit'", () -> forget(store));

        assertThat(warnings).singleElement(STRING).contains("inbox_retention");
        assertThat(isNew(store, consumer, key)).as("forgotten").isTrue();
        assertThat(workshop.ask("SELECT COUNT(DISTINCT what) FROM inbox_retention WHERE confirmed_at ="
                        + " (SELECT MIN(confirmed_at) FROM inbox_retention)"))
                .as("not confirmed")
                .isEqualTo("1");
    }

    @Test
    void whatAProgramRequiresIsWrittenDownAnewWhereAnotherDropsItBeforeItIsConfirmed() {
        JdbcStore store = JdbcStore.builder(InterposedDataSource.before(
                        1,
                        "inbox_retention SET confirmed_at",
                        clock.dataSource(),
                        () -> workshop.execute("DELETE FROM inbox_retention")))
                .window(Duration.ofDays(30))
                .build();
        consumer(store);
        clock.advance(Duration.ofHours(2));
        store.maintain();

        assertThat(workshop.askAll("SELECT millis FROM inbox_retention WHERE what = 'window'"))
                .containsExactly("" + Duration.ofDays(30).toMillis());
    }

    /** While a transaction, which nobody ends, holds a row. */
    private List<String> warningsBesideHolding(String sql, Runnable work) throws SQLException {
        Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.jdbc.retention");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(sql);
            work.run();
            connection.rollback();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private long secondsBehind() {
        return Duration.between(ofClock("trusted_at"), ofClock("seen_at")).toSeconds();
    }

    private LocalDateTime ofClock(String column) {
        String text = workshop.ask("SELECT " + column + " FROM inbox_clock");
        return LocalDateTime.parse(text.substring(0, 19).replace(' ', 'T'));
    }

    /** The clocks of database and machine agree: only the time of the last look tells that nobody was there. */
    @Test
    @Tag("F39")
    void outageLongerThanTheWindowForgetsNothingBeforeMessagesCanComeAgain() {
        JdbcStore before = store(7);
        RegisteredConsumer consumer = consumer(before);
        MessageKey key = newKey(consumer);
        assertThat(isNew(before, consumer, key)).isTrue();
        Object past = moment(Instant.now().minus(Duration.ofDays(9)));
        workshop.execute("UPDATE inbox_ledger SET accepted_at = ?", past);
        workshop.execute("UPDATE inbox_clock SET seen_at = ?, trusted_at = ?", past, past);

        JdbcStore store = store(7);
        forget(store);
        forget(store);
        assertThat(isNew(store, consumer, key)).isFalse();

        forgetAfter(0, store);
        assertThat(isNew(store, consumer, key)).isTrue();
        assertThat(workshop.askAll("SELECT action FROM inbox_audit")).containsExactly("CONFIRM_CLOCK");
    }

    /** As docs/retention.md says. */
    @Test
    @Tag("D3")
    void wrongClockThatWasConfirmedIsRecoveredFrom() {
        JdbcStore misled = store(7);
        RegisteredConsumer consumer = consumer(misled);
        forgetAfter(10, misled);
        clock.reset();
        MessageKey today = keyOfDay(0);
        assertThat(isNew(misled, consumer, today)).as("it is late").isFalse();

        dropDays();
        Object first = workshop.server()
                .parameter(MessageKey.firstOf(
                        Instant.now().truncatedTo(ChronoUnit.DAYS).toEpochMilli()));
        workshop.execute("UPDATE inbox_ledger_bounds SET oldest = ?, newest = ?", first, first);
        JdbcStore store = store(7);
        consumer(store);
        store.admin().confirmClock(ANN);

        assertThat(isNew(store, consumer, today)).isTrue();
        assertThat(isNew(store, consumer, keyOfDay(8))).isTrue();
        forget(store);
        assertThat(isNew(store, consumer, today)).isFalse();
        assertThat(store.admin().sizes().daysAhead()).isEqualTo(8);
    }

    /** As it does where a machine that was suspended goes on between two statements. */
    @Test
    @Tag("D3")
    void clockThatJumpsBehindTheLookAtItForgetsNothing() {
        JdbcStore calm = store(7);
        RegisteredConsumer consumer = consumer(calm);
        MessageKey known = newKey(consumer);
        assertThat(isNew(calm, consumer, known)).isTrue();
        Object earlier = moment(Instant.now().minus(Duration.ofHours(1)));
        workshop.execute("UPDATE inbox_clock SET seen_at = ?, trusted_at = ?", earlier, earlier);
        JdbcStore store = JdbcStore.builder(InterposedDataSource.before(
                        1, "inbox_clock SET seen_at", clock.dataSource(), () -> clock.advance(Duration.ofDays(35))))
                .window(Duration.ofDays(7))
                .build();

        assertThatThrownBy(store::retire)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing is deleted");
        clock.reset();

        assertThat(isNew(store, consumer, keyOfDay(0))).as("an id of today").isTrue();
        assertThat(isNew(store, consumer, known)).as("a key of today").isFalse();
    }

    /** Where the clock is read again, to tell which rows are old, all of them would be. */
    @Test
    @Tag("D3")
    void clockThatJumpsWhileRowsAreDeletedForgetsNothing() {
        JdbcStore calm = store(7);
        RegisteredConsumer consumer = consumer(calm);
        MessageKey known = newKey(consumer);
        assertThat(isNew(calm, consumer, known)).isTrue();
        JdbcStore store = JdbcStore.builder(InterposedDataSource.before(
                        1,
                        "inbox_upkeep WHERE task = ? AND next_at",
                        clock.dataSource(),
                        () -> clock.advance(Duration.ofDays(35))))
                .window(Duration.ofDays(7))
                .build();

        if (workshop.server() instanceof PostgresServer) {
            assertThatThrownBy(store::retire)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing is deleted");
        } else {
            assertThat(store.retire().rows()).isZero();
        }
        clock.reset();

        assertThat(isNew(calm, consumer, known)).isFalse();
    }

    @Test
    @Tag("D3")
    void clockThatIsDecadesAheadCreatesNoDays() {
        JdbcStore store = store(7);
        RegisteredConsumer consumer = consumer(store);
        int before = store.admin().sizes().daysAhead();
        clock.advance(Duration.ofDays(10_000));

        assertThatThrownBy(store::maintain)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("10000 days at once, where 800 is the most");
        clock.reset();

        store.maintain();
        assertThat(store.admin().sizes().daysAhead()).isEqualTo(before);
        assertThat(isNew(store, consumer, keyOfDay(0))).isTrue();
    }

    private void dropDays() {
        if (workshop.server() instanceof PostgresServer) {
            workshop.askAll("SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"
                            + " AND relkind = 'r' AND relname ~ '^inbox_ledger_[0-9]{8}$'")
                    .forEach(table -> workshop.execute("DROP TABLE " + table));
        } else if (workshop.server() instanceof MariaDbServer) {
            workshop.askAll("SELECT partition_name FROM information_schema.partitions WHERE table_schema = DATABASE()"
                            + " AND table_name = 'inbox_ledger' AND partition_name REGEXP '^p[0-9]{8}$'")
                    .forEach(day -> workshop.execute("ALTER TABLE inbox_ledger DROP PARTITION " + day));
        }
    }

    /** Passes and tasks that a wrong clock has put off go on when the right one is confirmed. */
    @Test
    @Tag("C7")
    void confirmedClockEndsWhatAWrongOneHolds() {
        JdbcStore store = store(7);
        consumer(store);
        Object wrong = moment(Instant.now().plus(Duration.ofDays(35)));
        forget(store);
        workshop.execute("UPDATE inbox_upkeep SET next_at = ?, busy_until = ?", wrong, wrong);
        workshop.execute("UPDATE inbox_clock SET seen_at = ?, trusted_at = ?", wrong, wrong);

        store.admin().confirmClock(ANN);

        assertThat(store.retire().more()).isTrue();
        assertThat(store.replays().create(plan("now"), "ann", "a test").state()).isEqualTo(ReplayState.WAITING);
    }

    @Test
    @Tag("C3")
    void storeInUseWithoutMaintenanceGetsItsDays() {
        AtomicLong nanos = new AtomicLong();
        JdbcStore store =
                JdbcStore.builder(clock.dataSource()).nanos(nanos::get).build();
        RegisteredConsumer consumer = consumer(store);
        clock.advance(Duration.ofDays(12));
        nanos.addAndGet(Duration.ofMinutes(61).toNanos());

        assertThat(isNew(store, consumer, keyOfDay(12))).isTrue();
    }

    /** Even where the caller has the only connection: it is done when that is free again. */
    @Test
    @Tag("C3")
    void ledgerOfCallersWithoutMaintenanceGetsItsDays() throws SQLException {
        AtomicLong nanos = new AtomicLong();
        HikariConfig config = new HikariConfig();
        config.setDataSource(clock.dataSource());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcStore store = JdbcStore.builder(pool).nanos(nanos::get).build();
            RegisteredConsumer consumer = consumer(store);
            clock.advance(Duration.ofDays(12));
            nanos.addAndGet(Duration.ofMinutes(61).toNanos());

            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                store.ledger(connection).claim(consumer, newKey(consumer));
                connection.commit();
            }

            await().untilAsserted(
                            () -> assertThat(store.admin().sizes().daysAhead()).isEqualTo(8));
        }
    }

    @Test
    @Tag("F43")
    void runsThatEndedLongAgoAreForgottenOnceTheHistoryHasNoneOfTheirMessages() {
        JdbcStore store = JdbcStore.builder(clock.dataSource())
                .historyRetention(Duration.ofDays(2))
                .replayRetention(Duration.ofHours(1))
                .build();
        RegisteredConsumer consumer = consumer(store);
        Message message = Message.builder("notes").id("1").type("note").build();
        MessageKey key = newKey(consumer);
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            transaction.claim(consumer, List.of(key), Duration.ofSeconds(10));
            transaction.record(consumer, List.of(new FinishedMessage(key, message, 1, true)));
            transaction.commit();
        }
        ReplayStore replays = store.replays();
        ReplayProgress run = replays.create(plan("ended"), "ann", "a test");
        replays.create(plan("waiting"), "ann", "a test");
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            transaction.replay().skip(run, new SkippedMessage(1, key, "it failed"));
            transaction.commit();
        }
        replays.change("ended", ReplayState.WAITING, ReplayState.CANCELLED, "ann", "a test");
        LocalDate newest = LocalDate.now(ZoneOffset.UTC).minusDays(60);
        for (int i = 0; i < 25; i++) {
            store.historyDays().exported(newest.minusDays(i), 3);
        }

        forgetAfter(1, store);
        assertThat(replays.find("ended")).as("its message is there").isPresent();
        assertThat(workshop.askAll("SELECT history_day FROM inbox_export"))
                .as("the newest one stays")
                .containsExactly(newest.toString());

        replays.change("waiting", ReplayState.WAITING, ReplayState.CANCELLED, "ann", "let the history go");
        forgetAfter(3, store);
        forgetAfter(1, store);
        assertThat(replays.find("ended")).isEmpty();
        assertThat(replays.list()).isEmpty();
        assertThat(count("inbox_replay_skipped")).isZero();
    }

    private long count(String table) {
        return Long.parseLong(workshop.ask("SELECT count(*) FROM " + table));
    }

    private static ReplayPlan plan(String name) {
        return new ReplayPlan(name, "payments", null, null, null, null, null, false);
    }

    private static MessageKey keyOfDay(int ahead) {
        return MessageKey.firstOf(Instant.now().plus(Duration.ofDays(ahead)).toEpochMilli());
    }

    private Object moment(Instant instant) {
        return workshop.server() instanceof PostgresServer
                ? instant.atOffset(ZoneOffset.UTC)
                : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }
}
