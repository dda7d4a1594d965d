package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The export of a day whose process is killed three times, wherever it is. */
@Tag("full")
class ExportCrashIT {
    private static final int MESSAGES = 60_000;
    private static final int KILLS = 3;
    private static final long SEED = 20_261_121;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern LINE =
            Pattern.compile("\\{\"consumer\":\"(\\w+)\",\"place\":\\d+,.*\"payload\":\"(\\d+)x*\"}");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final Database database = Database.onPostgres();
    private final JdbcStore store = JdbcStore.create(database.dataSource());
    private final Random random = new Random(SEED);
    private final List<ChildJvm> processes = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        for (ChildJvm process : processes) {
            process.kill();
        }
        database.close();
    }

    @Test
    void everyMessageIsOneLineHoweverOftenTheExportIsKilled() throws IOException, InterruptedException {
        LocalDate day = store.historyDays().today().minusDays(1);
        execute(
                "CREATE TABLE inbox_history_yesterday PARTITION OF inbox_history FOR VALUES FROM ('%s 00:00+00') TO ('%s 00:00+00')"
                        .formatted(day, day.plusDays(1)));
        for (String consumer : List.of("one", "two")) {
            Inbox.builder(consumer, store)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
        }
        fill(day);
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        Path part = directory.resolve("history-" + day + ".jsonl.part");

        ChildJvm process = start(day);
        for (int kill = 0; kill < KILLS; kill++) {
            long until = size(part) + 500_000 + random.nextInt(3_000_000);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> size(part) >= until);
            assertThat(process.isAlive()).as(process.output()).isTrue();
            process.kill();
            assertThat(archive.file(day)).doesNotExist();
            assertThat(store.historyDays().isExported(day)).isFalse();
            process = start(day);
        }
        assertThat(process.exitCode()).as(process.output()).isZero();

        assertThat(process.output()).contains("" + MESSAGES);
        assertThat(store.historyDays().isExported(day)).isTrue();
        assertThat(part).doesNotExist();
        try (Stream<String> lines = Files.lines(archive.file(day))) {
            List<String> all = lines.toList();
            assertThat(all.get(0)).contains("\"store\":\"" + store.historyDays().storeId());
            assertThat(all.get(all.size() - 1)).contains("\"entries\":" + MESSAGES);
            assertThat(all.subList(1, all.size() - 1).stream()
                            .map(ExportCrashIT::label)
                            .toList())
                    .isEqualTo(expected());
        }
        HistoryExport export = HistoryExport.of(store, archive);
        assertThat(export.export(day)).as("a day that is exported").isEqualTo(-1);
        assertThatThrownBy(() -> export.export(day.plusDays(1)))
                .as("a day that is not over")
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Consumer by consumer, each in its order. */
    private static List<String> expected() {
        List<String> expected = new ArrayList<>();
        for (int consumer = 1; consumer <= 2; consumer++) {
            for (int number = consumer; number <= MESSAGES; number += 2) {
                expected.add((consumer == 1 ? "one " : "two ") + number);
            }
        }
        return expected;
    }

    private static String label(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches() ? matcher.group(1) + " " + matcher.group(2) : "not whole: " + line;
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private ChildJvm start(LocalDate day) {
        ChildJvm process = ChildJvm.start(
                ExportingProcess.class,
                Database.directory().resolve("crash").resolve("export-" + processes.size() + ".out"),
                List.of(database.url(), directory.toString(), day.toString()));
        processes.add(process);
        return process;
    }

    /** Odd numbers for the first consumer, even ones for the second. */
    private void fill(LocalDate day) {
        execute("""
                INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, headers, payload, with_payload,
                    attempts, processed_at)
                SELECT c.id, CAST('ff' || lpad(to_hex(n), 30, '0') AS uuid), 'notes', convert_to('m' || n, 'UTF8'), 'note',
                    '\\x0100000000', convert_to(n || repeat('x', 200), 'UTF8'), true, 1, '%s 12:00+00'
                FROM generate_series(1, %d) AS n
                JOIN inbox_consumer AS c ON c.name = CASE n %% 2 WHEN 1 THEN 'one' ELSE 'two' END
                ORDER BY n""".formatted(day, MESSAGES));
    }

    private void execute(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
