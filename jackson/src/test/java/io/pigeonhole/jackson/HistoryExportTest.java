package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.ExportedStore.DAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Days of a store on their way into a directory: what is there is right, or it is not there. */
class HistoryExportTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private long export(ExportedStore store) throws IOException {
        return HistoryExport.of(store.store, JsonLinesArchive.in(directory)).export(DAY);
    }

    private Path whole() {
        return directory.resolve("history-" + DAY + ".jsonl");
    }

    private Path part() {
        return directory.resolve("history-" + DAY + ".jsonl.part");
    }

    private List<String> payloads() throws IOException {
        return messages(whole());
    }

    /** The payloads of the lines that are messages. */
    static List<String> messages(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("{\"consumer\""))
                    .map(line -> line.replaceFirst(".*\"payload\":\"(.*)\"}", "$1"))
                    .toList();
        }
    }

    private static boolean isNoted(ExportedStore store) {
        return store.store.historyDays().isExported(DAY);
    }

    @Test
    @Tag("E3")
    void dayOfAnotherStoreIsNotTakenForOnesOwn() throws IOException {
        ExportedStore one = ExportedStore.with("one", 2);
        ExportedStore two = ExportedStore.with("two", 3);
        export(one);

        assertThatThrownBy(() -> export(two)).isInstanceOf(IOException.class).hasMessageContaining("store");

        assertThat(isNoted(two)).isFalse();
        assertThat(payloads()).containsExactly("one 1", "one 2");
    }

    @Test
    @Tag("E3")
    void unfinishedDayOfAnotherStoreIsLeftAsItIs() throws IOException {
        ExportedStore one = ExportedStore.with("one", 2);
        ExportedStore two = ExportedStore.with("two", 3);
        export(one);
        Files.move(whole(), part());
        byte[] before = Files.readAllBytes(part());
        Files.deleteIfExists(directory.resolve("inbox-archive.json"));

        assertThatThrownBy(() -> export(two)).isInstanceOf(IOException.class).hasMessageContaining("store");

        assertThat(Files.readAllBytes(part())).isEqualTo(before);
        assertThat(whole()).doesNotExist();
    }

    @Test
    @Tag("E3")
    void fileOfUnknownOriginIsRefused() throws IOException {
        ExportedStore store = ExportedStore.with("one", 2);
        Files.writeString(whole(), "{\"consumer\":\"one\",\"place\":1}\n");

        assertThatThrownBy(() -> export(store)).isInstanceOf(IOException.class).hasMessageContaining("names no store");

        assertThat(isNoted(store)).isFalse();
        assertThat(Files.readString(whole())).isEqualTo("{\"consumer\":\"one\",\"place\":1}\n");
    }

    @Test
    @Tag("E3")
    void emptyDirectoryIsNotWhereTheEarlierDaysWent() throws IOException {
        ExportedStore store = ExportedStore.with("one", 2);
        export(store);
        store.finish("one", 1);
        store.endDay();
        Path mounted = Files.move(directory, directory.resolveSibling(directory.getFileName() + "-away"));
        Files.createDirectories(directory);

        HistoryExport export = HistoryExport.of(store.store, JsonLinesArchive.in(directory));
        assertThatThrownBy(() -> export.export(DAY.plusDays(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mounted");
        assertThatThrownBy(() -> export.export(DAY)).isInstanceOf(IOException.class);

        assertThat(directory).isEmptyDirectory();
        Files.delete(directory);
        Files.move(mounted, directory);
        assertThat(export.export(DAY.plusDays(1))).isEqualTo(1);
        assertThat(export.export(DAY)).isEqualTo(-1);
    }

    @Test
    @Tag("E4")
    void dayThatTheDiskLostIsExportedOnceMore() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        export(store);
        Files.delete(whole());

        assertThat(export(store)).isEqualTo(3);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3");
    }

    @Test
    @Tag("E4")
    void finishedDayThatIsDamagedIsSetAsideAndExportedOnceMore() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        export(store);
        byte[] bytes = Files.readAllBytes(whole());
        bytes[bytes.length / 2] ^= 1;
        Files.write(whole(), bytes);

        assertThat(export(store)).isEqualTo(3);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3");
        assertThat(directory.resolve(whole().getFileName() + ".damaged-1")).hasBinaryContent(bytes);
        assertThat(export(store)).isEqualTo(-1);
    }

    static Stream<Arguments> lostBeginnings() {
        return Stream.of(
                arguments(named("all of it", cut(0))),
                arguments(named("all but a part of its first line", cut(20))),
                arguments(named("its first bytes", zeros(64))),
                arguments(named("all but its length", zeros(Integer.MAX_VALUE))));
    }

    private static UnaryOperator<byte[]> cut(int length) {
        return bytes -> Arrays.copyOf(bytes, length);
    }

    private static UnaryOperator<byte[]> zeros(int most) {
        return bytes -> {
            byte[] changed = bytes.clone();
            Arrays.fill(changed, 0, Math.min(most, changed.length), (byte) 0);
            return changed;
        };
    }

    @ParameterizedTest
    @MethodSource("lostBeginnings")
    @Tag("E8")
    void finishedDayThatLostItsBeginningIsSetAsideAndExportedOnceMore(UnaryOperator<byte[]> damage) throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        export(store);
        byte[] damaged = damage.apply(Files.readAllBytes(whole()));
        Files.write(whole(), damaged);

        assertThat(export(store)).isEqualTo(3);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3");
        assertThat(directory.resolve(whole().getFileName() + ".damaged-1")).hasBinaryContent(damaged);
        assertThat(export(store)).isEqualTo(-1);
    }

    /** As where somebody restored the database to a moment before the day was over: the note went with it. */
    @Test
    @Tag("E4")
    void finishedDayWithOtherMessagesThanTheHistoryIsNotNoted() throws IOException {
        ExportedStore store = ExportedStore.with("one", 2);
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        var owner = new ArchivedStore(store.store.historyDays().storeId(), null);
        try (ArchivedDay day = archive.open(owner, DAY)) {
            day.append("one", store.entry());
            day.complete();
        }

        assertThatThrownBy(() -> export(store))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 messages")
                .hasMessageContaining("has 2");

        assertThat(isNoted(store)).isFalse();
        assertThat(payloads()).hasSize(1);
    }

    /** As where messages came once more after such a restore: as many, and others. */
    @Test
    @Tag("E3")
    void finishedDayWithAsManyOtherMessagesIsNotNoted() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        List<HistoryEntry> entries = store.entries();
        HistoryEntry second = entries.get(1);
        complete(store, List.of(entries.get(0), withAnotherAttempt(second), entries.get(2)));
        byte[] before = Files.readAllBytes(whole());

        assertThatThrownBy(() -> export(store))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another message of 2026-11-21 than the history")
                .hasMessageContaining("one has at place " + second.place())
                .hasMessageContaining("move away");

        assertThat(isNoted(store)).isFalse();
        assertThat(whole()).hasBinaryContent(before);
    }

    /** A process died between the completion and the note. */
    @Test
    @Tag("E3")
    void finishedDayWithTheMessagesOfTheHistoryIsNoted() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        complete(store, store.entries());

        assertThat(export(store)).isEqualTo(3);

        assertThat(isNoted(store)).isTrue();
    }

    private void complete(ExportedStore store, List<HistoryEntry> entries) throws IOException {
        var owner = new ArchivedStore(store.store.historyDays().storeId(), null);
        try (ArchivedDay day = JsonLinesArchive.in(directory).open(owner, DAY)) {
            for (HistoryEntry entry : entries) {
                day.append("one", entry);
            }
            day.complete();
        }
    }

    private static HistoryEntry withAnotherAttempt(HistoryEntry entry) {
        return new HistoryEntry(
                entry.place(),
                entry.key(),
                entry.message(),
                entry.withPayload(),
                entry.attempts() + 1,
                entry.processedAt());
    }

    @Test
    @Tag("E8")
    void damagedUnfinishedDayIsSetAsideAndTheDayBegunAnew() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        Files.writeString(part(), "{\"consumer\":\"one\",\"place\":1}\n\0\0\0\0\n");

        assertThat(export(store)).isEqualTo(3);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3");
        assertThat(directory.resolve(part().getFileName() + ".damaged-1")).exists();
        assertThat(part()).doesNotExist();
    }

    @Test
    @Tag("E8")
    void unfinishedDayThatRepeatsItsMessagesIsBegunAnew() throws IOException {
        ExportedStore store = ExportedStore.with("one", 3);
        export(store);
        List<String> lines = Files.readAllLines(whole(), StandardCharsets.UTF_8);
        Files.delete(whole());
        Files.write(part(), List.of(lines.get(0), lines.get(1), lines.get(2), lines.get(1), lines.get(2)));

        assertThat(export(store)).isEqualTo(3);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3");
    }

    @Test
    @Tag("E8")
    void unfinishedDayThatLacksMessagesInTheMiddleIsBegunAnew() throws IOException {
        ExportedStore store = ExportedStore.with("one", 4);
        export(store);
        List<String> lines = Files.readAllLines(whole(), StandardCharsets.UTF_8);
        Files.delete(whole());
        Files.write(part(), List.of(lines.get(0), lines.get(1), lines.get(3)));

        assertThat(export(store)).isEqualTo(4);

        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3", "one 4");
    }

    @Test
    @Tag("E8")
    void unfinishedDayOfAnEarlierStateOfTheDatabaseIsBegunAnew() throws IOException {
        ExportedStore store = ExportedStore.with("one", 2);
        export(store);
        String other = Files.readString(whole());
        Files.delete(whole());
        // Its last message has a key that the history does not have.
        List<String> lines = other.lines().toList();
        Files.write(
                part(), List.of(lines.get(0), lines.get(1).replaceFirst("\"key\":\"........", "\"key\":\"ffffffff")));

        assertThat(export(store)).isEqualTo(2);

        assertThat(payloads()).containsExactly("one 1", "one 2");
    }

    /** As where messages came once more after a restore: its last message is that of the history, one before it is not. */
    @Test
    @Tag("E3")
    void unfinishedDayWithAnotherMessageInTheMiddleIsBegunAnew() throws IOException {
        ExportedStore store = ExportedStore.with("one", 4);
        List<HistoryEntry> entries = store.entries();
        complete(store, List.of(entries.get(0), withAnotherAttempt(entries.get(1)), entries.get(2), entries.get(3)));
        leaveUnfinished(4);
        byte[] before = Files.readAllBytes(part());

        assertThat(export(store)).isEqualTo(4);

        assertThat(whole()).content().doesNotContain("\"attempts\":2");
        assertThat(payloads()).containsExactly("one 1", "one 2", "one 3", "one 4");
        assertThat(directory.resolve(part().getFileName() + ".damaged-1")).hasBinaryContent(before);
    }

    /** The last message is of another consumer than the one that differs. */
    @Test
    @Tag("E3")
    void unfinishedDayWithAnotherMessageOfAnEarlierConsumerIsBegunAnew() throws IOException {
        ExportedStore store = withTwoConsumers();
        export(store);
        byte[] expected = Files.readAllBytes(whole());
        leaveUnfinished(4);
        Files.writeString(part(), Files.readString(part()).replaceFirst("\"attempts\":1", "\"attempts\":2"));

        assertThat(export(store)).isEqualTo(4);

        assertThat(whole()).hasBinaryContent(expected);
        assertThat(directory.resolve(part().getFileName() + ".damaged-1")).exists();
    }

    @Test
    @Tag("E3")
    void unfinishedDayWithTheMessagesOfTheHistoryIsGoneOnWith() throws IOException {
        ExportedStore store = withTwoConsumers();
        export(store);
        byte[] expected = Files.readAllBytes(whole());

        for (int lines = 0; lines <= 5; lines++) {
            leaveUnfinished(lines);

            assertThat(export(store)).isEqualTo(4);

            assertThat(whole()).hasBinaryContent(expected);
            assertThat(directory.resolve(part().getFileName() + ".damaged-1")).doesNotExist();
        }
    }

    private static ExportedStore withTwoConsumers() {
        ExportedStore store = new ExportedStore();
        store.finish("one", 2);
        store.finish("two", 2);
        store.endDay();
        return store;
    }

    @Test
    @Tag("E8")
    void dayWithMessagesOfADeletedConsumerTakesNoPlaceHoweverOftenItIsTried() throws IOException {
        ExportedStore store = ExportedStore.with("kept", 500);
        HistoryDays withDeleted = withMessagesOfADeletedConsumer(store.store.historyDays());

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> HistoryExport.of(withDeleted, JsonLinesArchive.in(directory))
                            .export(DAY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("[7]")
                    .hasMessageContaining("deleted");
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(500);
        }

        export(store);
        assertThat(payloads()).hasSize(500);
    }

    private static HistoryDays withMessagesOfADeletedConsumer(HistoryDays days) {
        return (HistoryDays) Proxy.newProxyInstance(
                HistoryDays.class.getClassLoader(),
                new Class<?>[] {HistoryDays.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "deletedConsumers" -> List.of(7);
                    case "count" -> days.count(DAY) + 1;
                    default -> method.invoke(days, arguments);
                });
    }

    /** As an export that was killed behind so many lines of the finished file. */
    private void leaveUnfinished(int lines) throws IOException {
        List<String> all = Files.readAllLines(whole(), StandardCharsets.UTF_8);
        Files.delete(whole());
        Files.write(part(), all.subList(0, lines));
    }
}
