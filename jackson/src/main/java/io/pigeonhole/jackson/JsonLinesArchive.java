package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.HistoryArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;

/**
 * An archive in a directory, one file of JSON lines for each day: {@code history-2026-11-21.jsonl}, in UTF-8, one document in a
 * line for each message. A day that is not complete has {@code .part} behind its name; it is renamed when all of it is on the
 * disk. {@code docs/replay.md} describes the documents.
 *
 * <p>Safe for use by many threads and processes; a day is written by one of them at a time.
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
    public ArchivedDay open(LocalDate day) throws IOException {
        Files.createDirectories(directory);
        return JsonLinesDay.open(file(day), directory.resolve("history-" + day + ".jsonl.part"));
    }
}
