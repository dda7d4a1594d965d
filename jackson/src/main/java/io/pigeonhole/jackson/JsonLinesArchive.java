package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;

/**
 * An archive in a directory, one file of JSON lines for each day: {@code history-2026-11-21.jsonl}, in UTF-8, one document in a
 * line for each message. The first line says whose day it is, the last one how many messages the file has, with a SHA-256 of
 * all before it. A day that is not complete has {@code .part} behind its name; it is renamed when all of it is on the disk and
 * was read again. {@code docs/replay.md} describes the documents.
 *
 * <p>The directory belongs to one store, and says so in {@code inbox-archive.json}. A directory of another store, or
 * of an unknown one, is refused, and so is a file that names another store or that something else wrote. So is an
 * empty directory where the store has exported days before: the disk may not be mounted. What is damaged gets a name that
 * ends in {@code .damaged-1} and is written anew, with a warning.
 *
 * <p>Safe for use by many threads and processes; a day is written by one of them at a time, who locks it in
 * {@code inbox-archive.lock}.
 */
public final class JsonLinesArchive implements HistoryArchive {
    private final Path directory;

    private JsonLinesArchive(Path directory) {
        this.directory = directory;
    }

    /**
     * An archive in a directory.
     *
     * @param directory where the files are; it is made when the first day is written
     * @return the archive
     */
    public static JsonLinesArchive in(Path directory) {
        return new JsonLinesArchive(directory);
    }

    /**
     * The file of a day, once it is complete.
     *
     * @param day the day in UTC
     * @return its path, whether it exists or not
     */
    public Path file(LocalDate day) {
        return directory.resolve("history-" + day + ".jsonl");
    }

    @Override
    public ArchivedDay open(ArchivedStore store, LocalDate day) throws IOException {
        ArchiveDirectory place = new ArchiveDirectory(directory);
        place.prepare(store);
        return new JsonLinesFile(place, file(day), store.id(), day).open();
    }

    @Override
    public boolean contains(ArchivedStore store, LocalDate day, long entries) throws IOException {
        new ArchiveDirectory(directory).require(store);
        Path file = file(day);
        if (!Files.exists(file)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            JsonLinesScan scan = JsonLinesScan.ofFinished(channel, store.id(), day);
            JsonLinesFile.requireOwn(file, scan, store.id());
            return scan.isWhole() && scan.entries() == entries;
        }
    }

    @Override
    public String toString() {
        return "the archive in " + directory.toAbsolutePath();
    }
}
