package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.postgresql.PartitionStatement;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresOldDays;
import io.pigeonhole.jdbc.sql.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Days of ledger and history that are past their time, on PostgreSQL. */
@Tag("full")
@OnEveryServer
class OldDaysIT {
    private static final String PENDING =
            "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('inbox_history') AND inhdetachpending";

    /** Prepared for the ledger, for the history, before a day is detached, and before it is dropped. */
    private static final String LIST_OF_DAYS = "right(c.relname, 8) < ?";

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);
    private final String ofOld = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(old);

    private final Workshop workshop;
    private final JdbcStore store;
    private final List<String> replayed = new ArrayList<>();

    OldDaysIT(PostgresServer server) {
        workshop = server.schema();
        store = storeOn(workshop.dataSource());
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    /** The node is stopped between its question whether the day is needed and the moment in which it detaches the day. */
    @Test
    void dayOfAReplayThatWasMadeWhileANodeStoodStillIsNotDropped() {
        recordInAnOldDay("a", "b", "c");
        JdbcStore stopped = storeThatStands(() -> {
            endHold();
            makeReplay();
        });

        stopped.retire();

        assertThat(replay().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(replayed).containsExactly("a", "b", "c");
        stopped.retire();
        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')"))
                .as("when the replay is through with it")
                .isNull();
    }

    @Test
    void nodeThatStoodStillEndsNoHoldOfAnother() {
        recordInAnOldDay("a");
        JdbcStore stopped = storeThatStands(() -> {
            endHold();
            workshop.execute("UPDATE inbox_upkeep SET place = 'of another',"
                    + " busy_until = clock_timestamp() + interval '1 minute' WHERE task = 'history days'");
        });

        stopped.retire();

        assertThat(workshop.ask("SELECT busy_until > clock_timestamp() FROM inbox_upkeep WHERE task = 'history days'"))
                .isEqualTo("t");
    }

    @Test
    void replayWhoseMessagesAreGoneFailsAndIsNotFinished() {
        recordInAnOldDay("a", "b", "c");
        makeReplay();
        workshop.execute("DELETE FROM inbox_history WHERE id = (SELECT min(id) FROM inbox_history)");

        ReplayProgress end = replay();

        assertThat(replayed).containsExactly("b", "c");
        assertThat(end.state()).isEqualTo(ReplayState.FAILED);
        assertThat(end.error()).contains("1 of its 3 messages");
    }

    @Test
    @Tag("D6")
    void tableOfADayThatAPersonDetachedOrRestoredIsNotDropped() {
        recordInAnOldDay("a");
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofOld);
        workshop.execute("CREATE TABLE inbox_ledger_20200101 (LIKE inbox_ledger)");

        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger_20200101")).isEqualTo("0");
    }

    /** A node died when it had marked the day; a person, who wants to keep the day, detaches it. */
    @Test
    @Tag("D6")
    void markedDayThatAPersonDetachedIsNotDropped() {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofOld);

        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
    }

    /** The same with a day that has a constraint like its bounds, from an earlier time when it was detached. */
    @Test
    @Tag("D6")
    void markedDayWithItsOwnConstraintThatAPersonDetachedIsNotDropped() {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.DETACH));
        attachOld();
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofOld);

        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
    }

    @Test
    @Tag("D6")
    void dayWithItsOwnConstraintThatANodeBeganToDetachBeforeItDiedIsDropped() throws SQLException {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.DETACH));
        attachOld();
        workshop.execute(ofOld(PartitionStatement.MARK));
        interruptDetaching();

        retireAll(store);

        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
    }

    @Test
    @Tag("D6")
    void dayThatIsGivenBackIsAsItWasBeforeItWasDetached() {
        recordInAnOldDay("a");
        makeReplay();
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));
        retireAll(store);

        assertThat(workshop.askAll("SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = '" + ofOld
                        + "'::regclass"))
                .isEmpty();
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
    }

    /** Its comment is restored with it. */
    @Test
    @Tag("D6")
    void markedDayThatAPersonRestoredIsNotDropped() {
        workshop.execute("CREATE TABLE inbox_ledger_20200101 (LIKE inbox_ledger)");
        workshop.execute("COMMENT ON TABLE inbox_ledger_20200101 IS 'past its time, to be dropped by the inbox'");

        List<String> warnings = warningsOf(() -> {
            retireAll(store);
            retireAll(store);
        });

        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger_20200101")).isEqualTo("0");
        assertThat(warnings).singleElement().asString().contains("COMMENT ON TABLE inbox_ledger_20200101 IS NULL");
    }

    /** Whoever restores a month may give it the name of its first day. */
    @Test
    @Tag("D6")
    void partitionThatHoldsMoreThanTheDayOfItsNameIsNotDropped() {
        workshop.execute("CREATE TABLE inbox_history_20200101 PARTITION OF inbox_history"
                + " FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2020-02-01 00:00:00+00')");
        workshop.execute("CREATE TABLE inbox_history_20200399 PARTITION OF inbox_history"
                + " FOR VALUES FROM (MINVALUE) TO ('2019-01-01 00:00:00+00')");
        workshop.execute("CREATE TABLE inbox_ledger_20200101 PARTITION OF inbox_ledger"
                + " FOR VALUES FROM (MINVALUE) TO ('01000000-0000-0000-0000-000000000000')");
        recordInAnOldDay("a");

        retireAll(store);

        assertThat(workshop.askAll("SELECT relname FROM pg_class WHERE relname IN"
                        + " ('inbox_history_20200101', 'inbox_history_20200399', 'inbox_ledger_20200101')"
                        + " AND relnamespace = CAST(quote_ident(current_schema()) AS regnamespace)"))
                .hasSize(3);
        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
    }

    @Test
    @Tag("D6")
    void dayThatANodeDetachedBeforeItDiedIsDropped() {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));

        retireAll(store);

        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
        assertThat(workshop.askAll("SELECT task FROM inbox_upkeep WHERE task LIKE '%" + ofOld + "%'"))
                .isEmpty();
    }

    /**
     * PostgreSQL versions differ in whether detaching adds a constraint. Without one nobody can tell the node that died from a person who
     * wants to keep the day.
     */
    @Test
    @Tag("D6")
    void detachedDayOfWhichItIsUnknownWhoDetachedItStaysWithAWarning() {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));
        String constraint = workshop.ask(
                "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = to_regclass('" + ofOld + "')");
        if (constraint != null) {
            workshop.execute("ALTER TABLE " + ofOld + " DROP CONSTRAINT \"" + constraint + "\"");
        }

        List<String> warnings = warningsOf(() -> {
            retireAll(store);
            retireAll(store);
        });

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(ofOld + " is past its time", "COMMENT ON TABLE " + ofOld + " IS NULL");

        workshop.execute("COMMENT ON TABLE " + ofOld + " IS NULL");
        assertThat(warningsOf(() -> retireAll(storeOn(workshop.dataSource())))).isEmpty();
    }

    /** A node died when it had detached the day, and a program wants the history for longer by now. */
    @Test
    @Tag("D6")
    void detachedDayThatIsWantedAgainIsGivenBack() {
        recordInAnOldDay("a", "b");
        detachOld();
        wantForLonger();

        List<String> warnings = warningsOf(() -> retireAll(store));

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        assertThat(warnings).singleElement().asString().contains(ofOld + " is attached again");
        assertThat(workshop.askAll("SELECT task FROM inbox_upkeep WHERE task LIKE '%" + ofOld + "%'"))
                .isEmpty();
        makeReplay();
        assertThat(replay().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(replayed).containsExactly("a", "b");
    }

    /** The node stood still between detaching and dropping, for longer than others leave the day to it. */
    @Test
    @Tag("D6")
    void dayThatAnotherProgramGaveBackBeforeANodeDropsItIsNotDropped() {
        recordInAnOldDay("a", "b");
        JdbcStore stopped = storeOn(InterposedDataSource.before(4, LIST_OF_DAYS, workshop.dataSource(), () -> {
            workshop.execute("UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = 'days'");
            wantForLonger();
            retireAll(store);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        }));

        stopped.retire();

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
    }

    /** What may be forgotten was looked up long ago, as behind the export of another day. */
    @Test
    @Tag("D6")
    void detachedDayThatAnotherProgramWantsMeanwhileIsNotDropped() {
        recordInAnOldDay("a", "b");
        detachOld();
        AtomicLong nanos = new AtomicLong();
        JdbcStore slow = JdbcStore.builder(InterposedDataSource.before(2, LIST_OF_DAYS, workshop.dataSource(), () -> {
                    wantForLonger();
                    nanos.addAndGet(Duration.ofHours(2).toNanos());
                }))
                .historyRetention(Duration.ofDays(2))
                .nanos(nanos::get)
                .build();

        slow.retire();

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history"))
                .as("it is given back by a later call")
                .isEqualTo("0");
        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("2");
    }

    @Test
    @Tag("D6")
    void dayThatANodeBeganToDetachIsGivenBackWhereItIsWantedAgain() throws SQLException {
        recordInAnOldDay("a", "b");
        workshop.execute(ofOld(PartitionStatement.MARK));
        interruptDetaching();
        wantForLonger();

        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        assertThat(workshop.ask(PENDING)).isEqualTo("0");
    }

    @Test
    @Tag("D6")
    void dayThatAPersonDetachedIsNotGivenBackAlthoughItIsWantedAgain() {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofOld);
        wantForLonger();

        List<String> warnings = warningsOf(() -> retireAll(store));

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(ofOld + " is detached", "COMMENT ON TABLE " + ofOld + " IS NULL");
    }

    private void wantForLonger() {
        JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(30))
                .build()
                .maintain();
    }

    /** A role or a database may have one for the sake of its applications. */
    @Test
    @Tag("D6")
    void dayGoesAlthoughTheSessionLimitsItsStatements() throws SQLException {
        recordInAnOldDay("a");
        JdbcStore limited = storeOn(workshop.dataSource("&options=-c%20statement_timeout%3D200"));
        try (Connection other = workshop.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE inbox_history IN ACCESS SHARE MODE");
            limited.retire();
            assertThat(workshop.ask(PENDING)).as("the limit has ended it").isEqualTo("1");
            other.rollback();
        }

        retireAll(limited);

        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
    }

    @Test
    @Tag("D6")
    void dayGoesAlthoughTransactionsOfTheSessionOnlyReadByDefault() {
        recordInAnOldDay("a");
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(workshop.dataSource("&options=-c%20default_transaction_read_only%3Don"));
            pool.setMaximumPoolSize(1);

            retireAll(storeOn(pool));

            assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
            assertThat(defaultOf(pool)).isEqualTo("on");
        }
    }

    private static String defaultOf(DataSource pool) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW default_transaction_read_only")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> warningsOf(Runnable work) {
        Logger logger = (Logger) LoggerFactory.getLogger(PostgresOldDays.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            work.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    @Tag("D6")
    void dayThatAPersonBeganToDetachIsNotFinished() throws SQLException {
        recordInAnOldDay("a");
        interruptDetaching();

        retireAll(store);

        assertThat(workshop.ask(PENDING)).isEqualTo("1");
        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
    }

    @Test
    @Tag("D6")
    void dayThatANodeBeganToDetachBeforeItDiedIsDropped() throws SQLException {
        recordInAnOldDay("a");
        workshop.execute(ofOld(PartitionStatement.MARK));
        interruptDetaching();

        retireAll(store);

        assertThat(workshop.ask("SELECT to_regclass('" + ofOld + "')")).isNull();
    }

    @Test
    void dayThatANodeBeganToDetachGoesBackWhereAReplayNeedsIt() throws SQLException {
        recordInAnOldDay("a", "b");
        makeReplay();
        workshop.execute(ofOld(PartitionStatement.MARK));
        interruptDetaching();

        retireAll(store);

        assertThat(replay().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(replayed).containsExactly("a", "b");
    }

    /** A node without an archive detached it, and died. */
    @Test
    @Tag("D6")
    void detachedDayIsNotDroppedBeforeItIsInTheArchive(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a", "b");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));

        retireUntilGone(JsonLinesArchive.in(directory));

        assertThat(workshop.ask("SELECT entries FROM inbox_export")).isEqualTo("2");
    }

    @Test
    @Tag("E4")
    void dayThatTheArchiveLostIsExportedOnceMoreBeforeItGoes(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a", "b");
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        exportOnceNothingIsOpen(archive);
        Files.delete(archive.file(old));

        retireUntilGone(archive);

        assertThat(Files.readString(archive.file(old))).contains("\"a\"", "\"b\"");
    }

    /** Somebody recorded a message after the export, as where the clock went back. */
    @Test
    @Tag("E4")
    void dayThatHasMoreMessagesThanTheArchiveIsNotDropped(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a");
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        exportOnceNothingIsOpen(archive);
        workshop.execute(
                "INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, with_payload, attempts,"
                        + " processed_at) SELECT consumer_id, message_key, source, message_id, type, with_payload, attempts,"
                        + " processed_at FROM inbox_history");

        retireAll(archiving(archive));

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("2");
        Files.delete(archive.file(old));
        retireUntilGone(archive);
        assertThat(workshop.ask("SELECT entries FROM inbox_export")).isEqualTo("2");
    }

    /** An export that was asked for meanwhile saw none of its messages. */
    @Test
    @Tag("E4")
    void detachedDayThatWasExportedWithoutItsMessagesIsNotDropped(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a", "b");
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        exportOnceNothingIsOpen(archive);

        retireAll(archiving(archive));
        retireAll(archiving(archive));

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("2");
    }

    @Test
    @Tag("E3")
    void dayThatTheFileOfAnotherStoreStandsForIsNotDropped(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a");
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay other = archive.open(new ArchivedStore("another store", null), old)) {
            other.complete();
        }
        byte[] before = Files.readAllBytes(archive.file(old));

        retireAll(archiving(archive));

        assertThat(workshop.ask("SELECT count(*) FROM " + ofOld)).isEqualTo("1");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_export")).isEqualTo("0");
        assertThat(archive.file(old)).hasBinaryContent(before);
    }

    /** It reads all that it has of the day to answer, which may take longer than replays are held off. */
    @Test
    @Tag("D6")
    void archiveIsAskedOnlyWhileTheDayIsAttached(@TempDir Path directory) throws IOException {
        recordInAnOldDay("a", "b");
        JsonLinesArchive files = JsonLinesArchive.in(directory);
        exportOnceNothingIsOpen(files);
        List<String> attached = new ArrayList<>();

        retireUntilGone(new Asked(
                files,
                () -> attached.add(workshop.ask(
                        "SELECT count(*) FROM pg_inherits WHERE inhrelid = to_regclass('" + ofOld + "')"))));

        assertThat(attached).isNotEmpty().containsOnly("1");
    }

    /** An archive at which something happens when it is asked whether it has a day. */
    private record Asked(HistoryArchive archive, Runnable before) implements HistoryArchive {
        @Override
        public ArchivedDay open(ArchivedStore store, LocalDate day) throws IOException {
            return archive.open(store, day);
        }

        @Override
        public boolean contains(ArchivedStore store, LocalDate day, long entries) throws IOException {
            before.run();
            return archive.contains(store, day, entries);
        }
    }

    private JdbcStore archiving(HistoryArchive archive) {
        return JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(2))
                .archive(archive)
                .build();
    }

    /** Transactions of other databases of the server are waited for, too. */
    private void exportOnceNothingIsOpen(JsonLinesArchive archive) throws IOException {
        HistoryExport export = HistoryExport.of(store, archive);
        await().atMost(PATIENCE).ignoreException(RetryableException.class).untilAsserted(() -> export.export(old));
        assertThat(store.historyDays().isExported(old)).isTrue();
    }

    private void retireUntilGone(HistoryArchive archive) {
        JdbcStore archiving = archiving(archive);
        await().atMost(PATIENCE).until(() -> {
            retireAll(archiving);
            return workshop.ask("SELECT to_regclass('" + ofOld + "')") == null;
        });
    }

    /** Left begun, as by a client that is killed. */
    private void interruptDetaching() throws SQLException {
        try (Connection other = workshop.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE inbox_history IN ACCESS SHARE MODE");
            CompletableFuture<Void> detaching = CompletableFuture.runAsync(
                    () -> workshop.execute(ofOld(PartitionStatement.DETACH)), OwnThread.FOR_EACH);
            await().until(() -> workshop.ask(PENDING).equals("1"));
            assertThat(workshop.ask("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
                            + " WHERE query LIKE 'ALTER TABLE %" + ofOld + " CONCURRENTLY' AND state = 'active'"))
                    .isEqualTo("1");
            await().until(detaching::isDone);
            other.rollback();
        }
        assertThat(workshop.ask(PENDING)).isEqualTo("1");
    }

    private String ofOld(PartitionStatement statement) {
        return new Statements(PostgresDatabase.STATEMENTS)
                .sql(statement)
                .formatted("inbox_history", DateTimeFormatter.BASIC_ISO_DATE.format(old));
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    private static JdbcStore storeOn(DataSource dataSource) {
        return JdbcStore.builder(dataSource)
                .historyRetention(Duration.ofDays(2))
                .build();
    }

    /** Something happens meanwhile. */
    private JdbcStore storeThatStands(Runnable meanwhile) {
        String beforeDetaching = "ON CONFLICT (task) DO NOTHING";
        return storeOn(InterposedDataSource.before(1, beforeDetaching, workshop.dataSource(), meanwhile));
    }

    /** As a node does that dies before it drops the day. */
    private void detachOld() {
        workshop.execute(ofOld(PartitionStatement.MARK));
        workshop.execute(ofOld(PartitionStatement.DETACH));
        workshop.execute(ofOld(PartitionStatement.NOTE_DETACHED));
    }

    private void attachOld() {
        workshop.execute("ALTER TABLE inbox_history ATTACH PARTITION " + ofOld + " FOR VALUES FROM ('" + old
                + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");
    }

    private void endHold() {
        workshop.execute("UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = 'history days'");
    }

    private void makeReplay() {
        store.replays().create(new ReplayPlan("anew", "notes", null, null, null, null, null, false), "ann", "a test");
        // It waits for transactions of other databases of the server, too.
        await().atMost(Duration.ofSeconds(20))
                .until(() -> store.replays().settle("anew").state() == ReplayState.RUNNING);
    }

    private ReplayProgress replay() {
        return Replay.builder("anew", "notes", store, new Author("ann", "a test"))
                .into(PayloadDecoder.text(), (payload, context) -> replayed.add(payload))
                .batch(1)
                .build()
                .run();
    }

    private void recordInAnOldDay(String... payloads) {
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        for (String payload : payloads) {
            inbox.process(Message.builder("notes")
                    .id("id " + payload)
                    .type("note")
                    .payload(payload)
                    .build());
        }
        workshop.execute("CREATE TABLE " + ofOld + " PARTITION OF inbox_history FOR VALUES FROM ('" + old
                + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");
        workshop.execute("UPDATE inbox_history SET processed_at = '" + old + " 12:00:00+00'");
    }
}
