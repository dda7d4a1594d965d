package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.jackson.JsonLinesArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * On MariaDB the oldest partition also has the messages of all earlier days, such as those that were recorded while the clock of
 * the database was behind.
 */
@Tag("D5")
class EarlierDaysIT {
    private static final String READ_THROUGH = "SELECT DISTINCT CAST(h.processed_at AS DATE)";

    private static final String TAKES_THE_HISTORY = "SET busy_until = ?, place = ? WHERE task";
    private static final String WAITS =
            "SELECT id FROM information_schema.processlist" + " WHERE db = DATABASE() AND state LIKE '%metadata lock%'";

    private final LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);
    private final LocalDate earlier = old.minusDays(3);

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void messagesOfEarlierDaysAreExportedBeforeTheirPartitionIsDropped(MariaDbServer server, @TempDir Path directory)
            throws IOException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = store(workshop, JsonLinesArchive.in(directory));
            recordInTwoDays(server, workshop, store);

            retireAll(store);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
            assertThat(workshop.askAll("SELECT CONCAT(history_day, ' ', entries) FROM inbox_export ORDER BY 1"))
                    .containsExactly(earlier + " 1", old + " 1");
            assertThat(Files.readString(directory.resolve("history-" + earlier + ".jsonl")))
                    .contains("\"id\":\"a\"");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionWithMessagesOfAnEarlierDayThatTheArchiveDoesNotTakeStays(
            MariaDbServer server, @TempDir Path directory) throws IOException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = store(workshop, JsonLinesArchive.in(directory));
            recordInTwoDays(server, workshop, store);
            Files.createDirectory(directory.resolve("history-" + earlier + ".jsonl.part"));

            retireAll(store);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionWithMessagesOfAnEarlierDayThatAReplayNeedsStays(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = store(workshop, null);
            recordInTwoDays(server, workshop, store);
            var start = old.atStartOfDay(ZoneOffset.UTC).toInstant();
            store.replays()
                    .create(new ReplayPlan("again", "notes", null, start, null, null, null, false), "ann", "a test");

            retireAll(store);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void messagesOfEarlierDaysThatNobodyNeedsGoWithTheirPartition(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = store(workshop, null);
            recordInTwoDays(server, workshop, store);

            retireAll(store);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
        }
    }

    /** That takes long, and would be repeated as long as the replay goes on. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionOfADayThatAReplayNeedsIsNotReadThrough(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            AtomicBoolean isRead = new AtomicBoolean();
            JdbcStore store = store(
                    InterposedDataSource.before(1, READ_THROUGH, workshop.dataSource(), () -> isRead.set(true)), null);
            recordInTwoDays(server, workshop, store);
            makeReplayOfOld(store);

            retireAll(store);
            assertThat(isRead).isFalse();

            store.replays().change("again", ReplayState.WAITING, ReplayState.CANCELLED, "ann", "a test");
            retireAll(store);
            assertThat(isRead).isTrue();
        }
    }

    /** Reading through the partition once more may take longer than a node may keep replays from being made. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionOfADayForWhichAReplayIsMadeWhileItIsReadThroughStays(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = store(workshop, null);
            recordInTwoDays(server, workshop, store);

            retireAll(store(
                    InterposedDataSource.before(2, READ_THROUGH, workshop.dataSource(), () -> {
                        workshop.execute("UPDATE inbox_upkeep SET busy_until = " + server.now()
                                + " WHERE task = 'history days'");
                        makeReplayOfOld(store);
                    }),
                    null));

            assertThat(store.replays().find("again")).isPresent();
            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        }
    }

    /** Whoever has its time already may commit while the drop waits for it. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void messageOfAnEarlierDayThatIsCommittedWhileItsPartitionIsToBeDroppedIsExported(
            MariaDbServer server, @TempDir Path directory) throws Exception {
        try (Workshop workshop = server.schema();
                Connection late = workshop.dataSource().getConnection()) {
            late.setAutoCommit(false);
            recordInTwoDays(server, workshop, store(workshop, null));
            LocalDate latest = earlier.plusDays(1);
            CompletableFuture<Void> recorded = new CompletableFuture<>();
            CompletableFuture<Void> commit = recorded.thenRunAsync(() -> commitOnceWaitedFor(late, workshop));
            JdbcStore store = store(
                    InterposedDataSource.before(1, TAKES_THE_HISTORY, workshop.dataSource(), () -> {
                        record(late, latest);
                        recorded.complete(null);
                    }),
                    JsonLinesArchive.in(directory));

            retireAll(store);
            commit.get(20, TimeUnit.SECONDS);
            retireAll(store);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
            assertThat(workshop.askAll("SELECT CONCAT(history_day, ' ', entries) FROM inbox_export ORDER BY 1"))
                    .containsExactly(earlier + " 1", latest + " 1", old + " 1");
        }
    }

    private static void record(Connection connection, LocalDate day) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO inbox_history (consumer_id, message_key, source, with_payload, attempts,"
                    + " processed_at) SELECT id, x'ff000000000000000000000000000001', 'notes', FALSE, 1, '" + day
                    + " 12:00:00' FROM inbox_consumer");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void commitOnceWaitedFor(Connection connection, Workshop workshop) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !workshop.askAll(WAITS).isEmpty());
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void makeReplayOfOld(JdbcStore store) {
        var start = old.atStartOfDay(ZoneOffset.UTC).toInstant();
        store.replays().create(new ReplayPlan("again", "notes", start, null, null, null, null, false), "ann", "a test");
    }

    private static JdbcStore store(Workshop workshop, @Nullable HistoryArchive archive) {
        return store(workshop.dataSource(), archive);
    }

    private static JdbcStore store(DataSource dataSource, @Nullable HistoryArchive archive) {
        var builder = JdbcStore.builder(dataSource).historyRetention(Duration.ofDays(2));
        return archive == null ? builder.build() : builder.archive(archive).build();
    }

    private void recordInTwoDays(MariaDbServer server, Workshop workshop, JdbcStore store) {
        Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        for (String id : new String[] {"a", "b"}) {
            inbox.process(
                    Message.builder("notes").id(id).type("note").payload("text").build());
        }
        HistoryWantedMeanwhileIT.moveTo(old, server, workshop);
        workshop.execute("UPDATE inbox_history SET processed_at = '" + earlier + " 23:59:59.999999'"
                + " WHERE message_id = 'a'");
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }
}
