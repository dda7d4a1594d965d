package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jackson.JsonLinesArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An export takes hours, and what may be forgotten, or who is registered, changes meanwhile. */
@Tag("D5")
class HistoryWantedMeanwhileIT {
    private final LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);
    private final AtomicLong nanos = new AtomicLong();

    static Stream<DatabaseServer> servers() {
        return Stream.concat(PostgresServers.all().limit(1), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void dayThatAnotherProgramWantsWhileItIsExportedIsNotDropped(DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            JsonLinesArchive lines = JsonLinesArchive.in(directory);
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .historyRetention(Duration.ofDays(2))
                    .nanos(nanos::get)
                    .archive(new Slow(lines, () -> {
                        JdbcStore.builder(workshop.dataSource())
                                .historyRetention(Duration.ofDays(30))
                                .build()
                                .maintain();
                        nanos.addAndGet(Duration.ofHours(2).toNanos());
                    }))
                    .build();
            recordInAnOldDay(server, workshop, store);

            // It waits for transactions of other databases of the server, too.
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                retireAll(store);
                return store.historyDays().isExported(old);
            });

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void exportNamesTheNumberOfAConsumerThatSomebodyDeleted(DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            recordInAnOldDay(server, workshop, store);
            String number = workshop.ask("SELECT id FROM inbox_consumer");
            workshop.execute("DELETE FROM inbox_consumer");
            HistoryExport export = HistoryExport.of(store, JsonLinesArchive.in(directory));

            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThatThrownBy(() -> export.export(old))
                            .hasMessageContaining("of the consumers [" + number + "]"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D6")
    void programWithoutAnArchiveLeavesTheHistoryToOneThatHasIt(DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            JsonLinesArchive lines = JsonLinesArchive.in(directory);
            JdbcStore archiving = store(workshop).archive(lines).build();
            recordInAnOldDay(server, workshop, archiving);
            JdbcStore without = store(workshop).build();

            retireAll(without);

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                retireAll(archiving);
                return workshop.ask("SELECT count(*) FROM inbox_history").equals("0");
            });
            assertThat(lines.file(old)).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void historyGoesWithoutAnArchiveWhenNoProgramHasConfirmedOneForLong(
            DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            recordInAnOldDay(
                    server,
                    workshop,
                    store(workshop).archive(JsonLinesArchive.in(directory)).build());
            workshop.execute("UPDATE inbox_retention SET confirmed_at = '" + old + " 12:00:00' WHERE what = 'archive'");

            retireAll(store(workshop).build());

            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("0");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_retention WHERE what = 'archive'"))
                    .isEqualTo("0");
        }
    }

    private static JdbcStore.Builder store(Workshop workshop) {
        return JdbcStore.builder(workshop.dataSource()).historyRetention(Duration.ofDays(2));
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    private void recordInAnOldDay(DatabaseServer server, Workshop workshop, JdbcStore store) {
        Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build()
                .process(Message.builder("notes")
                        .id("a")
                        .type("note")
                        .payload("a")
                        .build());
        moveTo(old, server, workshop);
    }

    /** Gives all messages of the history the time of a day, and the history that day where it has days. */
    static void moveTo(LocalDate old, DatabaseServer server, Workshop workshop) {
        String name = DateTimeFormatter.BASIC_ISO_DATE.format(old);
        if (server instanceof PostgresServer) {
            workshop.execute("CREATE TABLE inbox_history_" + name + " PARTITION OF inbox_history FOR VALUES FROM ('"
                    + old + " 00:00:00+00') TO ('" + old.plusDays(1) + " 00:00:00+00')");
        } else if (server instanceof MariaDbServer) {
            String first = workshop.ask("SELECT min(partition_name) FROM information_schema.partitions"
                    + " WHERE table_schema = DATABASE() AND table_name = 'inbox_history'"
                    + " AND partition_name LIKE 'p2%'");
            LocalDate next = LocalDate.parse(first.substring(1), DateTimeFormatter.BASIC_ISO_DATE)
                    .plusDays(1);
            workshop.execute("ALTER TABLE inbox_history REORGANIZE PARTITION " + first + " INTO (PARTITION p" + name
                    + " VALUES LESS THAN ('" + old.plusDays(1) + "'), PARTITION " + first + " VALUES LESS THAN ('"
                    + next + "'))");
        }
        workshop.execute("UPDATE inbox_history SET processed_at = '" + old + " 12:00:00'");
    }

    /** An archive at which something happens while it is written. */
    private record Slow(HistoryArchive archive, Runnable meanwhile) implements HistoryArchive {
        @Override
        public ArchivedDay open(ArchivedStore store, LocalDate day) throws IOException {
            meanwhile.run();
            return archive.open(store, day);
        }

        @Override
        public boolean contains(ArchivedStore store, LocalDate day, long entries) throws IOException {
            return archive.contains(store, day, entries);
        }
    }
}
