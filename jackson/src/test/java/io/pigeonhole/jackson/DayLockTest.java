package io.pigeonhole.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.DayLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A day of an archive is written by one of all threads and processes. */
@Tag("E3")
@Tag("E4")
class DayLockTest {
    private static final ArchivedStore STORE = new ArchivedStore("11111111-2222-3333-4444-555555555555", null);
    private static final LocalDate DAY = LocalDate.of(2026, 11, 21);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @Test
    void threadThatIsRefusedEndsNoLockOfItsProcess() throws IOException, InterruptedException {
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThatThrownBy(() -> archive.open(STORE, DAY))
                    .isInstanceOf(DayLockedException.class)
                    .hasMessageContaining("is being written");

            assertThat(openedByAnotherProcess()).contains("refused").contains("is being written by another process");

            day.complete();
        }
        assertThat(openedByAnotherProcess()).contains("complete true");
    }

    @Test
    void whoeverReadsTheUnfinishedFileEndsNoLockOfItsProcess() throws IOException, InterruptedException {
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isFalse();
            Files.readAllBytes(directory.resolve("history-" + DAY + ".jsonl.part"));

            assertThat(openedByAnotherProcess()).contains("refused").contains("is being written by another process");
        }
        assertThat(openedByAnotherProcess()).contains("complete false");
    }

    @Test
    void archiveUnderAnotherPathEndsNoLockOfItsProcess() throws IOException, InterruptedException {
        Path other = Files.createSymbolicLink(directory.resolveSibling(directory.getFileName() + "-link"), directory);
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isFalse();
            assertThatThrownBy(() -> JsonLinesArchive.in(other).open(STORE, DAY))
                    .hasMessageContaining("is being written");

            assertThat(openedByAnotherProcess()).contains("refused").contains("is being written by another process");
        } finally {
            Files.delete(other);
        }
    }

    @Test
    void anotherDayThatEndsEndsNoLockOfItsProcess() throws IOException, InterruptedException {
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isFalse();
            try (ArchivedDay next = archive.open(STORE, DAY.plusDays(1))) {
                next.complete();
            }

            assertThat(openedByAnotherProcess()).contains("refused").contains("is being written by another process");
        }
    }

    /** A file that nobody opens for reading is to its writer as a disk that does not answer. */
    @Test
    void archiveWhoseDiskHangsHoldsUpNoOther(@TempDir Path hanging) throws Exception {
        ArchivedStore store = new ArchivedStore(STORE.id(), null);
        JsonLinesArchive.in(hanging).open(store, DAY.minusDays(1)).close();
        Path lock = hanging.resolve("inbox-archive.lock");
        Files.delete(lock);
        assumeThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor())
                .isZero();
        Thread stuck = new Thread(() -> {
            try (ArchivedDay day = JsonLinesArchive.in(hanging).open(store, DAY)) {
                day.last();
            } catch (IOException e) {
                // Nothing can be locked there.
            }
        });
        stuck.start();
        await().until(() -> Arrays.stream(stuck.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(DayLock.class.getName())
                        && frame.getMethodName().equals("of")));

        Thread opening = new Thread(() -> {
            try (ArchivedDay day = JsonLinesArchive.in(directory).open(STORE, DAY)) {
                day.complete();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        opening.start();
        opening.join(Duration.ofSeconds(10).toMillis());
        boolean ended = !opening.isAlive();
        assertThat(stuck.isAlive()).isTrue();
        Files.readAllBytes(lock);
        stuck.join();
        opening.join();

        assertThat(ended).isTrue();
        assertThat(openedByAnotherProcess()).contains("complete true");
    }

    private String openedByAnotherProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DayLockTest.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return output;
    }

    /** Opens the day. Argument: the directory. */
    public static void main(String[] arguments) {
        try (ArchivedDay day = JsonLinesArchive.in(Path.of(arguments[0])).open(STORE, DAY)) {
            System.out.println("complete " + day.isComplete());
        } catch (IOException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
