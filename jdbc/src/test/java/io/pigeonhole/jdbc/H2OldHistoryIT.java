package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.retention.OldHistory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A history without days to drop, on H2: it goes row by row, and day by day. */
class H2OldHistoryIT {
    private final LocalDate today = LocalDate.now(ZoneOffset.UTC);
    private final Workshop workshop = H2Server.FILES.schema();

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    @Tag("D5")
    @Tag("E3")
    void dayThatIsKeptLosesNothingWhileTheOneBeforeItIsExported(@TempDir Path directory) {
        LocalDate old = today.minusDays(2);
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .archive(new Watched(JsonLinesArchive.in(directory), H2OldHistoryIT::letTimePass))
                .build();
        record(store, 3);
        move(1, old + " 12:00:00");
        move(2, old.plusDays(1) + " 00:00:00");
        move(3, old.plusDays(1) + " 10:00:00");

        retireAll(store);

        assertThat(workshop.askAll("SELECT id FROM inbox_history ORDER BY id")).containsExactly("2", "3");
    }

    @Test
    @Tag("D5")
    @Tag("E8")
    void backlogOfDaysGoesInOneGoAndTheArchiveReadsEachDayOnce(@TempDir Path directory) {
        AtomicInteger looks = new AtomicInteger();
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .purgeBatch(100)
                .archive(new Watched(JsonLinesArchive.in(directory), looks::incrementAndGet))
                .build();
        record(store, 300);
        move("<= 200", today.minusDays(5) + " 12:00:00");
        move("BETWEEN 201 AND 270", today.minusDays(4) + " 12:00:00");
        move("BETWEEN 271 AND 299", today.minusDays(3) + " 12:00:00");

        retireAll(store);

        assertThat(workshop.askAll("SELECT id FROM inbox_history")).containsExactly("300");
        assertThat(looks).hasValue(3);
    }

    /** As where messages were recorded with the clock of another day, or a store was filled by hand. */
    @Test
    @Tag("D5")
    void dayWhoseNumbersAreSmallerThanThoseOfTheDayBeforeGoesInTheSamePass() {
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .purgeBatch(100)
                .build();
        record(store, 200);
        move("<= 100", today.minusDays(4) + " 12:00:00");
        move("> 100", today.minusDays(5) + " 12:00:00");

        retireAll(store);

        assertThat(workshop.askAll("SELECT id FROM inbox_history")).isEmpty();
    }

    @Test
    @Tag("D5")
    @Tag("E8")
    void dayWhoseExportFailsIsLeftAloneForHalfAnHour() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger opened = new AtomicInteger();
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .nanos(nanos::get)
                .archive(new HistoryArchive() {
                    @Override
                    public ArchivedDay open(ArchivedStore owner, LocalDate day) throws IOException {
                        opened.incrementAndGet();
                        throw new IOException("no such directory");
                    }

                    @Override
                    public boolean contains(ArchivedStore owner, LocalDate day, long entries) {
                        return false;
                    }
                })
                .build();
        record(store, 1);
        move(1, today.minusDays(2) + " 12:00:00");

        for (int i = 0; i < 5; i++) {
            retireAll(store);
        }
        assertThat(opened).hasValue(1);

        nanos.addAndGet(Duration.ofMinutes(31).toNanos());
        retireAll(store);
        retireAll(store);
        assertThat(opened).hasValue(2);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
    }

    @Test
    @Tag("D5")
    @Tag("E8")
    void dayThatAnotherNodeExportsIsLeftToItForAMinuteWithoutAWarning(@TempDir Path directory) throws IOException {
        AtomicLong nanos = new AtomicLong();
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .nanos(nanos::get)
                .archive(archive)
                .build();
        record(store, 1);
        move(1, today.minusDays(3) + " 12:00:00");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(OldHistory.class);
        logger.addAppender(lines);
        var owner = new ArchivedStore(store.historyDays().storeId(), null);
        try (ArchivedDay other = archive.open(owner, today.minusDays(3))) {
            assertThat(other.isComplete()).isFalse();
            retireAll(store);
            retireAll(store);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
        // A thread that the test before has left alone may still say something of its own archive.
        String here = Thread.currentThread().getName();
        assertThat(lines.list)
                .filteredOn(line -> line.getThreadName().equals(here))
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .singleElement()
                .satisfies(line -> assertThat(line.getLevel()).isEqualTo(Level.INFO));

        nanos.addAndGet(Duration.ofSeconds(61).toNanos());
        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
    }

    @Test
    @Tag("D5")
    @Tag("E8")
    void exportThatTakesHoursIsNoClockThatJumped(@TempDir Path directory) {
        DatabaseServer.MovableClock clock = H2Server.FILES.clock(workshop);
        AtomicLong nanos = new AtomicLong();
        JdbcStore store = JdbcStore.builder(clock.dataSource())
                .historyRetention(Duration.ofDays(1))
                .nanos(nanos::get)
                .archive(new Watched(JsonLinesArchive.in(directory), () -> {
                    clock.advance(Duration.ofHours(2));
                    nanos.addAndGet(Duration.ofHours(2).toNanos());
                }))
                .build();
        record(store, 1);
        move(1, today.minusDays(3) + " 12:00:00");
        workshop.execute("INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                + " VALUES (TIMESTAMP '2020-01-01 00:00:00', 'ann', 'a test', 'PAUSE', 'c', '', 1)");

        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_audit")).isEqualTo("0");
    }

    /** Nobody can tell whether it was an outage, after which messages of before may still come. */
    @Test
    @Tag("D5")
    void clockThatJumpedWhileADayWasExportedLetsNothingGo(@TempDir Path directory) {
        DatabaseServer.MovableClock clock = H2Server.FILES.clock(workshop);
        JdbcStore store = JdbcStore.builder(clock.dataSource())
                .historyRetention(Duration.ofDays(1))
                .nanos(new AtomicLong()::get)
                .archive(new Watched(JsonLinesArchive.in(directory), () -> clock.advance(Duration.ofHours(2))))
                .build();
        record(store, 1);
        move(1, today.minusDays(3) + " 12:00:00");

        assertThatThrownBy(() -> retireAll(store))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("clock went from");

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
    }

    /** A replay that was made meanwhile keeps what is left, for longer than notes are kept. */
    @Test
    @Tag("D11")
    @Tag("E3")
    void dayThatIsHalfGoneIsKnownToBeInTheArchiveForAsLongAsTheHistoryHasTheRest(@TempDir Path directory) {
        AtomicLong nanos = new AtomicLong();
        JdbcStore store = archiving(directory, nanos);
        record(store, 250);
        move("> 0", today.minusDays(3) + " 12:00:00");
        await().until(() -> {
            store.retire();
            return !workshop.ask("SELECT count(*) FROM inbox_history").equals("250");
        });
        store.historyDays().exported(today.minusDays(2), 0);
        store.replays().create(new ReplayPlan("anew", "notes", null, null, null, null, null, false), "ann", "a test");
        letNotesAge(nanos);
        retireAll(store);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("150");

        store.replays().change("anew", ReplayState.WAITING, ReplayState.CANCELLED, "ann", "a test");
        letNotesAge(nanos);
        retireAll(store);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
    }

    @Test
    @Tag("D11")
    @Tag("E3")
    void emptyDirectoryIsNoNewArchiveHoweverLongAgoTheLastDayWasExported(@TempDir Path mounted, @TempDir Path other) {
        AtomicLong nanos = new AtomicLong();
        JdbcStore store = archiving(mounted, nanos);
        record(store, 1);
        move(1, today.minusDays(3) + " 12:00:00");
        retireAll(store);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
        letNotesAge(nanos);
        retireAll(store);

        JdbcStore unmounted = archiving(other, nanos);
        record(unmounted, 2);
        move("> 0", today.minusDays(2) + " 12:00:00");
        retireAll(unmounted);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
        assertThat(other).isEmptyDirectory();
    }

    @Test
    @Tag("D5")
    void archiveThatDoesNotComeBackKeepsTheHistoryAndNothingElse() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        HistoryArchive hanging = new Watched(JsonLinesArchive.in(Path.of("never-written")), () -> {
            asked.countDown();
            // As a disk does whose server is gone: no interrupt ends it.
            BoundedWait.await(Duration.ofMinutes(2), nanos -> never.await(nanos, TimeUnit.NANOSECONDS));
            throw new IllegalStateException("the test has ended");
        });
        JdbcStore store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .attemptRetention(Duration.ofDays(1))
                .archive(hanging)
                .build();
        record(store, 2);
        move("> 0", today.minusDays(5) + " 12:00:00");
        Inbox<JdbcContext> failing = Inbox.builder("failing", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("it fails");
                })
                .build();
        failing.process(
                Message.builder("notes").id("1").type("note").payload("of it").build());
        workshop.execute("UPDATE inbox_attempt SET started_at = TIMESTAMP '" + today.minusDays(40) + " 12:00:00'");
        workshop.execute("DELETE FROM inbox_work");
        assertThat(workshop.askAll("SELECT 1 FROM inbox_attempt")).isNotEmpty();
        try (Node node =
                Node.builder(store).maintenanceInterval(Duration.ofSeconds(1)).start()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> asked.getCount() == 0);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> workshop.askAll("SELECT 1 FROM inbox_attempt").isEmpty());
            assertThat(node.failure()).isNull();
            assertThat(workshop.askAll("SELECT id FROM inbox_history")).hasSize(2);
        } finally {
            never.countDown();
        }
    }

    private JdbcStore archiving(Path directory, AtomicLong nanos) {
        return JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(1))
                .replayRetention(Duration.ofHours(12))
                .purgeBatch(100)
                .nanos(nanos::get)
                .archive(JsonLinesArchive.in(directory))
                .build();
    }

    /** All that was exported so far, by more than notes are kept; and what is done now and then is due. */
    private void letNotesAge(AtomicLong nanos) {
        nanos.addAndGet(Duration.ofHours(13).toNanos());
        workshop.execute("UPDATE inbox_export SET exported_at = DATEADD(HOUR, -13, exported_at)");
        workshop.execute("UPDATE inbox_upkeep SET next_at = DATEADD(HOUR, -13, next_at)");
    }

    private static void letTimePass() {
        Instant begun = Instant.now();
        await().until(() -> Instant.now().isAfter(begun.plusMillis(20)));
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    /** Records messages with the numbers from 1 on in the history of today. */
    private static void record(JdbcStore store, int count) {
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        inbox.process(IntStream.rangeClosed(1, count)
                .mapToObj(number -> Message.builder("notes")
                        .id("id " + number)
                        .type("note")
                        .payload("of " + number)
                        .build())
                .toList());
    }

    /** Gives messages of the history another time. */
    private void move(int id, String time) {
        move("= " + id, time);
    }

    private void move(String ids, String time) {
        workshop.execute("UPDATE inbox_history SET processed_at = TIMESTAMP '" + time + "' WHERE id " + ids);
    }

    /** An archive at which something happens before it is asked. */
    private record Watched(HistoryArchive archive, Runnable before) implements HistoryArchive {
        @Override
        public ArchivedDay open(ArchivedStore store, LocalDate day) throws IOException {
            before.run();
            return archive.open(store, day);
        }

        @Override
        public boolean contains(ArchivedStore store, LocalDate day, long entries) throws IOException {
            before.run();
            return archive.contains(store, day, entries);
        }
    }
}
