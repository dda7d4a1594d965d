package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.ExportedStore.DAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.store.HistoryEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an earlier process may not have made durable before it died is made durable before a day is noted. */
@Tag("E3")
@Tag("E6")
class DurableNamesTest {
    private final ExportedStore store = ExportedStore.with("one", 2);
    private final List<Path> forced = new ArrayList<>();
    private final List<Path> refused = new ArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    /** As behind a process that died between the renaming and what makes the name durable. */
    @Test
    void finishedDayThatIsFoundIsMadeDurableBeforeItIsNoted() throws IOException {
        var owner = new ArchivedStore(store.store.historyDays().storeId(), null);
        JsonLinesArchive archive = JsonLinesArchive.in(directory);
        try (ArchivedDay day = archive.open(owner, DAY)) {
            for (HistoryEntry entry : store.entries()) {
                day.append("one", entry);
            }
            day.complete();
        }

        assertThat(export(directory)).isEqualTo(2);

        assertThat(forced).containsSubsequence(archive.file(DAY), directory);
    }

    @Test
    void directoriesThatAreFoundAreMadeDurableBeforeADayIsNoted() throws IOException {
        Path found = Files.createDirectories(directory.resolve("archives").resolve("inbox"));

        assertThat(export(found)).isEqualTo(2);

        assertThat(forced).contains(directory, directory.resolve("archives"), found);
    }

    @Test
    void directoriesThatAreCreatedAreMadeDurableBeforeADayIsNoted() throws IOException {
        Path created = directory.resolve("archives").resolve("inbox");

        assertThat(export(created)).isEqualTo(2);

        assertThat(forced).contains(directory, directory.resolve("archives"), created);
    }

    /** Some file systems cannot do that with a directory. */
    @Test
    void dayIsNotedAlthoughOldDirectoriesAboveTheArchiveCannotBeMadeDurable() throws IOException {
        Path found = Files.createDirectories(directory.resolve("archives").resolve("inbox"));
        refused.addAll(List.of(directory, directory.resolve("archives")));

        assertThat(export(found)).isEqualTo(2);

        assertThat(forced).doesNotContainAnyElementsOf(refused).contains(found);
    }

    @Test
    void dayIsNotNotedWhereTheDirectoryOfANewOneCannotBeMadeDurable() {
        refused.add(directory);

        assertThatThrownBy(() -> export(directory.resolve("archives").resolve("inbox")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Invalid argument");

        assertThat(store.store.historyDays().isExported(DAY)).isFalse();
    }

    private long export(Path place) throws IOException {
        JsonLinesArchive archive = JsonLinesArchive.in(RecordedDisk.of(place, this::take));
        return HistoryExport.of(store.store, archive).export(DAY);
    }

    private void take(Path path) throws IOException {
        assertThat(store.store.historyDays().isExported(DAY)).isFalse();
        if (refused.contains(path)) {
            throw new IOException(path + ": Invalid argument");
        }
        forced.add(path);
    }
}
