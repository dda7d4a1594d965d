package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.ExportedStore.DAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An export whose disk takes a part of what is written, and then nothing. */
@Tag("E4")
class FullDiskTest {
    private static final String STORE = "store";
    private static final int MESSAGES = 40;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private JsonLinesFile file(String folder) throws IOException {
        Path place = Files.createDirectories(directory.resolve(folder));
        return new JsonLinesFile(new ArchiveDirectory(place), place.resolve("day.jsonl"), STORE, DAY);
    }

    private static void write(ArchivedDay day) throws IOException {
        for (int i = (int) day.entries(); i < MESSAGES; i++) {
            Message message = Message.builder("notes")
                    .id("m" + i)
                    .payload("x".repeat(i % 7 * 3_000))
                    .build();
            day.append("one", new HistoryEntry(i + 1, new MessageKey(0, i), message, true, 1, Instant.EPOCH));
        }
        day.complete();
    }

    /** Wherever it ends: between lines, in a line, in the first line or in the last one. */
    @Test
    void whatFollowsAFullDiskIsTheSameFileAsWithout() throws IOException {
        JsonLinesFile undisturbed = file("undisturbed");
        try (ArchivedDay day = undisturbed.open()) {
            write(day);
        }
        byte[] expected = Files.readAllBytes(undisturbed.whole());

        for (int bytes = 0; bytes < expected.length; bytes += 7_919) {
            JsonLinesFile file = file("full after " + bytes);
            assertFull(file, bytes);
            assertFull(file, bytes + 5_000);
            assertThat(file.whole()).doesNotExist();

            try (ArchivedDay day = file.open()) {
                write(day);
            }

            assertThat(file.whole()).as("full after " + bytes).hasBinaryContent(expected);
            assertThat(file.part()).doesNotExist();
        }
    }

    private static void assertFull(JsonLinesFile file, long bytes) throws IOException {
        if (bytes >= 300_000) {
            return;
        }
        FileChannel channel = FileChannel.open(
                file.part(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FullChannel full = new FullChannel(channel, bytes);
        assertThatThrownBy(() -> {
                    JsonLinesScan scan = JsonLinesScan.ofUnfinished(channel, STORE, DAY);
                    assertThat(scan.fault()).isNull();
                    try (ArchivedDay day = new JsonLinesDay(file, file.lock(), full, scan)) {
                        write(day);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left");
        assertThat(full.refused()).as("nothing is written behind the error").isEqualTo(1);
        channel.close();
    }

    @Test
    void dayIsNotWrittenOnBehindAnError() throws IOException {
        JsonLinesFile file = file("full");
        FileChannel channel = FileChannel.open(
                file.part(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        JsonLinesScan scan = JsonLinesScan.ofUnfinished(channel, STORE, DAY);
        try (ArchivedDay day = new JsonLinesDay(file, file.lock(), new FullChannel(channel, 1_000), scan)) {
            assertThatThrownBy(() -> write(day)).hasMessageContaining("No space left");

            assertThatThrownBy(() -> write(day))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not written any more");
            assertThatThrownBy(day::complete).isInstanceOf(IOException.class);
        }
    }

    /** In a process of its own, whose files the system does not let grow beyond a limit. */
    @Test
    void everyMessageIsOneLineAlsoWhereTheFileCouldNotGrow() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -S -f 200; exec \"$0\" -XX:TieredStopAtLevel=1 -cp \"$1\" \"$2\" \"$3\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("java.class.path"),
                        FullDiskTest.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();

        assertThat(output).contains("refused", "exported 1000");
        List<String> payloads = HistoryExportTest.messages(directory.resolve("history-" + DAY + ".jsonl"));
        assertThat(payloads)
                .isEqualTo(IntStream.rangeClosed(1, 1_000)
                        .mapToObj(i -> "one " + i)
                        .toList());
    }

    /** Exports with the limit, which ends before the day is closed, then without. Argument: the directory. */
    public static void main(String[] arguments) throws IOException {
        ExportedStore store = ExportedStore.with("one", 1_000);
        HistoryArchive archive = JsonLinesArchive.in(Path.of(arguments[0]));
        HistoryArchive withRoomAtTheEnd = proxy(
                HistoryArchive.class,
                (method, values) -> method.invoke(archive, values) instanceof ArchivedDay day
                        ? proxy(ArchivedDay.class, (ofDay, valuesOfDay) -> {
                            if (ofDay.getName().equals("close")) {
                                allowAnySize();
                            }
                            return ofDay.invoke(day, valuesOfDay);
                        })
                        : null);
        HistoryExport export = HistoryExport.of(store.store, withRoomAtTheEnd);
        try {
            System.out.println("not stopped: " + export.export(DAY));
        } catch (IOException e) {
            System.out.println("refused: " + e.getMessage());
        }
        System.out.println("exported " + export.export(DAY));
    }

    private static void allowAnySize() throws IOException, InterruptedException {
        String self = String.valueOf(ProcessHandle.current().pid());
        new ProcessBuilder("prlimit", "--pid", self, "--fsize=unlimited")
                .inheritIO()
                .start()
                .waitFor();
    }

    private interface Call {
        @Nullable
        Object to(Method method, Object @Nullable [] values) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                FullDiskTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    try {
                        return call.to(method, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
