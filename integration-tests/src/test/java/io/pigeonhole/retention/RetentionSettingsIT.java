package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.MaintenanceWindow;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store's settings say about forgetting. */
@Tag("full")
class RetentionSettingsIT {
    private final RetentionLab lab = new RetentionLab();

    @AfterEach
    void close() {
        lab.close();
    }

    @Test
    void windowDecidesHowManyDaysAreKept() {
        JdbcStore store =
                JdbcStore.builder(lab.database).window(Duration.ofDays(2)).build();
        RegisteredConsumer consumer = lab.consumer(store, "short of memory");
        List<MessageKey> keys = lab.keys(consumer, 10);
        lab.claimAll(store, consumer, keys);

        lab.advance(Duration.ofDays(1));
        RetentionLab.forget(store);
        assertThat(RetentionLab.claim(store, consumer, keys).claimed()).isEmpty();

        lab.advance(Duration.ofDays(2));
        RetentionLab.forget(store);
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(2));
        assertThat(RetentionLab.claim(store, consumer, keys).claimed())
                .as("those without a time")
                .hasSize(5);
    }

    @Test
    void dayOfTheHistoryIsInTheArchiveBeforeItGoes(@TempDir Path directory) throws IOException {
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        JdbcStore store = JdbcStore.builder(lab.database).archive(archive).build();
        LocalDate day = record(store, "kept for ever");

        lab.advance(Duration.ofDays(32));
        RetentionLab.forget(store);

        assertThat(lab.tables("inbox_history")).doesNotContain(DateTimeFormatter.BASIC_ISO_DATE.format(day));
        assertThat(Files.readAllLines(archive.file(day)))
                .filteredOn(line -> line.startsWith("{\"consumer\""))
                .singleElement()
                .asString()
                .contains("kept for ever");
    }

    @Test
    void dayOfTheHistoryThatTheArchiveDoesNotTakeStays() {
        JdbcStore store = JdbcStore.builder(lab.database)
                .archive(new Refusing(() -> {
                    throw new IOException("the disk is full");
                }))
                .build();
        String day = DateTimeFormatter.BASIC_ISO_DATE.format(record(store, "stays"));

        lab.advance(Duration.ofDays(32));
        RetentionLab.forget(store);

        assertThat(lab.tables("inbox_history")).contains(day);
        assertThat(lab.tables("inbox_ledger")).as("what needs no archive goes").isEqualTo(lab.days(7));
    }

    @Test
    @Tag("E8")
    void archiveThatThrowsKeepsNothingElseFromBeingForgotten() {
        JdbcStore store = JdbcStore.builder(lab.database)
                .archive(new Refusing(() -> {
                    throw new IllegalStateException("whatever a library throws");
                }))
                .build();
        String day = DateTimeFormatter.BASIC_ISO_DATE.format(record(store, "stays"));
        lab.workshop.execute("INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                + " VALUES (clock_timestamp(), 'ann', 'a test', 'REPLAY', 'recorder', 'long ago', 1)");

        lab.advance(Duration.ofDays(400));
        RetentionLab.forget(store);

        assertThat(lab.tables("inbox_history")).contains(day);
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_audit WHERE detail = 'long ago'"))
                .isEqualTo("0");
    }

    /** What an archive does for one day after another, which ends in an exception. */
    private record Refusing(Doing doing) implements HistoryArchive {
        @Override
        public ArchivedDay open(ArchivedStore owner, LocalDate day) throws IOException {
            throw doing.refuse();
        }

        @Override
        public boolean contains(ArchivedStore owner, LocalDate day, long entries) throws IOException {
            throw doing.refuse();
        }

        interface Doing {
            IOException refuse() throws IOException;
        }
    }

    @Test
    void dayThatAReplayIsMadeForWhileItIsExportedStays(@TempDir Path directory) throws IOException {
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        JdbcStore replays = lab.store();
        JdbcStore store = JdbcStore.builder(lab.database)
                .archive(new HistoryArchive() {
                    @Override
                    public ArchivedDay open(ArchivedStore owner, LocalDate day) throws IOException {
                        replays.replays().create(planOf("in the last moment"), "ann", "a test");
                        return archive.open(owner, day);
                    }

                    @Override
                    public boolean contains(ArchivedStore owner, LocalDate day, long entries) throws IOException {
                        return archive.contains(owner, day, entries);
                    }
                })
                .build();
        String day = DateTimeFormatter.BASIC_ISO_DATE.format(record(store, "wanted"));

        lab.advance(Duration.ofDays(32));
        RetentionLab.forget(store);

        assertThat(lab.tables("inbox_history")).contains(day);
    }

    @Test
    void noReplayIsMadeWhileADayGoes() {
        JdbcStore store = lab.store();
        record(store, "going");
        lab.workshop.execute("UPDATE inbox_upkeep SET busy_until = clock_timestamp() + interval '1 minute'"
                + " WHERE task = 'history days'");

        assertThatThrownBy(() -> store.replays().create(planOf("too late"), "ann", "a test"))
                .isInstanceOf(RetryableException.class)
                .hasMessageContaining("try again");

        lab.advance(Duration.ofMinutes(2));
        assertThat(store.replays().create(planOf("later"), "ann", "a test").state())
                .isEqualTo(ReplayState.WAITING);
    }

    private static ReplayPlan planOf(String name) {
        return new ReplayPlan(name, "recorder", null, null, null, null, null, false);
    }

    /** Records one message; answers the day of the history that it is in. */
    private LocalDate record(JdbcStore store, String payload) {
        RegisteredConsumer consumer = lab.consumer(store, "recorder");
        MessageKey key = lab.keys(consumer, 1).get(0);
        Message message = Message.builder("ticks")
                .id("tick")
                .type("tick")
                .payload(payload)
                .build();
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            transaction.claim(consumer, List.of(key), Duration.ofSeconds(20));
            transaction.record(consumer, List.of(new FinishedMessage(key, message, 1, true)));
            transaction.commit();
        }
        return LocalDate.ofInstant(lab.now(), ZoneOffset.UTC);
    }

    @Test
    void nothingIsForgottenOutsideTheMaintenanceWindow() {
        LocalTime now = LocalTime.ofInstant(lab.now(), ZoneOffset.UTC);
        JdbcStore resting = JdbcStore.builder(lab.database)
                .maintenanceWindow(new MaintenanceWindow(now.plusHours(2), now.plusHours(4), ZoneOffset.UTC))
                .purgeBatch(100)
                .build();
        RegisteredConsumer consumer = lab.consumer(resting, "sleeper");
        lab.claimAll(resting, consumer, lab.keys(consumer, 10));
        lab.advance(Duration.ofDays(9));

        assertThat(resting.retire()).isEqualTo(Retired.NOTHING);
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("10");

        lab.advance(Duration.ofHours(3));
        RetentionLab.forget(resting);
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeForgetsInTheBackground() {
        JdbcStore store = lab.store();
        RegisteredConsumer consumer = lab.consumer(store, "forgetful");
        lab.claimAll(store, consumer, lab.keys(consumer, 10));
        lab.advance(Duration.ofDays(9));

        try (Node node = Node.builder(store).start()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> lab.workshop
                            .ask("SELECT count(*) FROM inbox_ledger")
                            .equals("0"));
        }
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
    }

    @Test
    void settingsThatMakeNoSenseAreRefusedWithTheirNames() {
        JdbcStore.Builder builder = JdbcStore.builder(lab.database);

        assertThatThrownBy(() -> builder.window(Duration.ofMinutes(59)))
                .hasMessageContaining("window 59 min is not from 1 hour to 366 days");
        assertThatThrownBy(() -> builder.historyRetention(Duration.ZERO)).hasMessageContaining("historyRetention 0 s");
        assertThatThrownBy(() -> builder.attemptRetention(Duration.ofDays(-1)))
                .hasMessageContaining("attemptRetention");
        assertThatThrownBy(() -> builder.auditRetention(Duration.ofDays(40_000)))
                .hasMessageContaining("auditRetention");
        assertThatThrownBy(() -> builder.purgeBatch(1)).hasMessageContaining("purgeBatch 1");
    }
}
