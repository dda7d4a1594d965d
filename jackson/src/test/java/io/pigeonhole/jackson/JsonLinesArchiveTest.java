package io.pigeonhole.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesArchiveTest {
    private static final LocalDate DAY = LocalDate.of(2026, 11, 21);
    private static final Instant AT = Instant.parse("2026-11-21T12:00:00.000001Z");
    private static final ArchivedStore STORE = new ArchivedStore("11111111-2222-3333-4444-555555555555", null);
    private static final MessageKey KEY = new MessageKey(0xFFL << 56, 7);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private JsonLinesArchive archive;

    @BeforeEach
    void create() {
        archive = JsonLinesArchive.in(directory.resolve("archive"));
    }

    private static HistoryEntry entry(long place, Message message, boolean withPayload) {
        return new HistoryEntry(place, KEY, message, withPayload, 1, AT);
    }

    private static HistoryEntry entry(long place) {
        return entry(
                place, Message.builder("notes").id("m" + place).payload("p").build(), true);
    }

    private Path part() {
        return directory.resolve("archive").resolve("history-2026-11-21.jsonl.part");
    }

    @Test
    void aMessageIsOneLineWithWhatItConsistsOf() throws IOException {
        Message message = Message.builder("notes")
                .id("größe")
                .type("note")
                .orderingKey(new byte[] {(byte) 0xFF, 0})
                .contentType("text/plain")
                .origin("notes-0@7")
                .headers(Headers.none()
                        .with("a", "b")
                        .with("bytes", new byte[] {(byte) 0x80})
                        .with("none", (byte[]) null))
                .payload("two\nlines \"quoted\"")
                .build();
        Message tombstone =
                Message.builder("notes").id("t").payload((byte[]) null).build();
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            day.append("payments", entry(3, message, true));
            day.append("payments", entry(4, tombstone, true));
            day.append("payments", entry(5, tombstone, false));
            day.complete();
        }

        assertThat(Files.readAllLines(archive.file(DAY), StandardCharsets.UTF_8))
                .containsExactly(
                        "{\"history\":\"2026-11-21\",\"store\":\"11111111-2222-3333-4444-555555555555\",\"version\":1}",
                        "{\"consumer\":\"payments\",\"place\":3,\"key\":\"ff000000-0000-0000-0000-000000000007\","
                                + "\"processedAt\":\"2026-11-21T12:00:00.000001Z\",\"attempts\":1,\"source\":\"notes\","
                                + "\"id\":\"größe\",\"type\":\"note\",\"orderingKeyBase64\":\"/wA=\","
                                + "\"contentType\":\"text/plain\",\"origin\":\"notes-0@7\",\"withPayload\":true,"
                                + "\"headers\":[{\"name\":\"a\",\"value\":\"b\"},{\"name\":\"bytes\",\"valueBase64\":\"gA==\"},"
                                + "{\"name\":\"none\"}],\"payload\":\"two\\nlines \\\"quoted\\\"\"}",
                        "{\"consumer\":\"payments\",\"place\":4,\"key\":\"ff000000-0000-0000-0000-000000000007\","
                                + "\"processedAt\":\"2026-11-21T12:00:00.000001Z\",\"attempts\":1,\"source\":\"notes\","
                                + "\"id\":\"t\",\"withPayload\":true,\"headers\":[],\"payload\":null}",
                        "{\"consumer\":\"payments\",\"place\":5,\"key\":\"ff000000-0000-0000-0000-000000000007\","
                                + "\"processedAt\":\"2026-11-21T12:00:00.000001Z\",\"attempts\":1,\"source\":\"notes\","
                                + "\"id\":\"t\",\"withPayload\":false}",
                        "{\"end\":\"2026-11-21\",\"entries\":3,\"sha256\":\"" + sha256OfAllButTheLastLine() + "\"}");
        assertThat(archive.contains(STORE, DAY, 3)).isTrue();
        assertThat(archive.contains(STORE, DAY, 2)).isFalse();
        assertThat(part()).doesNotExist();
    }

    private String sha256OfAllButTheLastLine() throws IOException {
        String text = Files.readString(archive.file(DAY));
        String before = text.substring(0, text.indexOf("{\"end\""));
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(before.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aDayGoesOnBehindItsLastWholeLine() throws IOException {
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.last()).isNull();
            day.append("payments", entry(1));
            day.append("mails", entry(2));
            day.complete();
        }
        List<String> written = Files.readAllLines(archive.file(DAY));
        Files.delete(archive.file(DAY));
        Files.write(part(), written.subList(0, 3));
        Files.writeString(part(), "{\"consumer\":\"mails\",\"pla", StandardOpenOption.APPEND);

        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isFalse();
            assertThat(day.entries()).isEqualTo(2);
            assertThat(day.last()).isEqualTo(new ArchivedDay.Place("mails", 2, KEY));
            day.append("mails", entry(3));
            day.complete();
            assertThat(day.entries()).isEqualTo(3);
        }
        List<String> lines = Files.readAllLines(archive.file(DAY));
        assertThat(lines).hasSize(5);
        assertThat(lines.get(3)).contains("\"place\":3");
    }

    @Test
    void aCompleteDayIsNotWrittenAgain() throws IOException {
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            day.append("payments", entry(1));
            day.complete();
        }

        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isTrue();
            assertThat(day.entries()).isEqualTo(1);
            assertThatThrownBy(() -> day.append("payments", entry(2))).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aDayIsWrittenByOneAtATime() throws IOException {
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.isComplete()).isFalse();
            assertThatThrownBy(() -> archive.open(STORE, DAY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is being written");
        }
    }

    /** Between the look whether the directory is taken, and what takes it. */
    @ParameterizedTest
    @Tag("E3")
    @ValueSource(booleans = {true, false})
    void aDirectoryThatTwoStoresBeginAtOnceIsOneStores(boolean hasLinks) throws IOException {
        Path place = Files.createDirectory(directory.resolve("archive"));
        ArchivedStore faster = new ArchivedStore("99999999-2222-3333-4444-555555555555", null);
        Path disk = RecordedDisk.of(place, new RecordedDisk.Forcing() {
            @Override
            public void force(Path path) {}

            @Override
            public void name(Path path) throws IOException {
                if (path.endsWith("inbox-archive.json")) {
                    new ArchiveDirectory(place).prepare(faster);
                }
            }

            @Override
            public boolean hasLinks() {
                return hasLinks;
            }
        });

        assertThatThrownBy(() -> JsonLinesArchive.in(disk).open(STORE, DAY))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the archive belongs to the store " + faster.id());

        try (Stream<Path> files = Files.list(place)) {
            assertThat(files).containsExactly(place.resolve("inbox-archive.json"));
        }
        new ArchiveDirectory(place).require(faster);
    }

    @Test
    @Tag("E3")
    void aDirectoryIsBegunAlsoWhereAFileHasOneNameOnly() throws IOException {
        Path place = directory.resolve("archive");
        JsonLinesArchive onDisk = JsonLinesArchive.in(RecordedDisk.of(place, path -> {}));

        onDisk.open(STORE, DAY).close();

        assertThat(place.resolve("inbox-archive.json")).content().contains(STORE.id());
        onDisk.open(STORE, DAY).close();
    }

    /** JSON parsers have limits of their own. */
    @Test
    @Tag("E8")
    void aDayGoesOnBehindAMessageOfManyMegabytes() throws IOException {
        byte[] payload = new byte[20 << 20];
        payload[0] = (byte) 0xFF;
        Message large = Message.builder("notes").id("large").payload(payload).build();
        try (ArchivedDay day = archive.open(STORE, DAY)) {
            day.append("payments", entry(1, large, true));
            day.complete();
        }
        Files.move(archive.file(DAY), part());

        try (ArchivedDay day = archive.open(STORE, DAY)) {
            assertThat(day.entries()).isEqualTo(1);
        }
    }
}
