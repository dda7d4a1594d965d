package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedDay;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a day under its two names: unfinished and whole. It decides what of an earlier export can be relied on. Safe for
 * use by many threads and processes.
 *
 * @param directory where it is
 * @param whole its name once it is complete
 * @param store whose day it is
 * @param day the day in UTC
 */
record JsonLinesFile(ArchiveDirectory directory, Path whole, String store, LocalDate day) {
    private static final Logger log = LoggerFactory.getLogger(JsonLinesFile.class);

    /** Its name while it is written. */
    Path part() {
        return whole.resolveSibling(whole.getFileName() + ".part");
    }

    /** To be written behind what is confirmed of an earlier export, or to be read where it is complete. */
    ArchivedDay open() throws IOException {
        DayLock lock = lock();
        ArchivedDay opened = null;
        try {
            // Under the lock, so that nobody completes it meanwhile.
            opened = finished();
            if (opened == null) {
                opened = unfinished(lock);
            } else {
                Files.deleteIfExists(part());
            }
            return opened;
        } finally {
            if (opened == null || opened.isComplete()) {
                lock.close();
            }
        }
    }

    /** Nobody else writes the file until it is closed. */
    DayLock lock() throws IOException {
        return DayLock.of(directory.path(), day);
    }

    private JsonLinesDay unfinished(DayLock lock) throws IOException {
        while (true) {
            FileChannel channel = openPart();
            try {
                JsonLinesScan scan = JsonLinesScan.ofUnfinished(channel, store, day);
                requireNotOfAnother(part(), scan);
                if (scan.fault() == null) {
                    return new JsonLinesDay(this, lock, channel, scan);
                }
                setAside(part(), scan.fault());
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            channel.close();
        }
    }

    private @Nullable FinishedDay finished() throws IOException {
        try (FileChannel channel = FileChannel.open(whole, StandardOpenOption.READ)) {
            JsonLinesScan scan = JsonLinesScan.ofFinished(channel, store, day);
            requireOwn(whole, scan, store);
            if (scan.isWhole()) {
                // Whoever finished it may have died before its name was on the disk.
                channel.force(true);
                directory.force();
                return new FinishedDay(whole, scan.entries());
            }
            setAside(whole, scan.fault() == null ? "its last line is missing" : scan.fault());
            return null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Refuses a file that says it is of another store or day, or that something else wrote; one that is damaged says nothing. */
    static void requireOwn(Path file, JsonLinesScan scan, String store) throws IOException {
        if (scan.isOfAnother()) {
            String found = scan.store();
            throw new IOException(file + " is not of this store, " + store + ": its first line names "
                    + (found == null ? "no store" : "the store " + found + ", or another day")
                    + ". It was left as it is, and this day is not exported; move the file away, or give the store a"
                    + " directory of its own");
        }
    }

    /** An unfinished one may have nothing yet, or be damaged. */
    private void requireNotOfAnother(Path file, JsonLinesScan scan) throws IOException {
        if (!scan.isEmpty() && scan.store() != null) {
            requireOwn(file, scan, store);
        }
    }

    /** Under a name that nobody looks for. */
    void setAside(Path file, @Nullable String why) throws IOException {
        Path aside = directory.aside(file);
        Files.move(file, aside);
        directory.force();
        log.warn("{} cannot be relied on, since {}: it is {} now, and the day is exported anew", file, why, aside);
    }

    /** By whoever has the lock. */
    FileChannel openPart() throws IOException {
        return FileChannel.open(part(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Gives it its name, once the disk has all of it. Reads it again, as whoever needs it will. */
    void finish(long entries) throws IOException {
        try (FileChannel channel = FileChannel.open(part(), StandardOpenOption.READ)) {
            JsonLinesScan scan = JsonLinesScan.ofFinished(channel, store, day);
            if (!scan.isWhole() || scan.entries() != entries) {
                throw new IOException(part() + " does not have the " + entries + " messages that were written to it: "
                        + (scan.fault() == null ? "it has " + scan.entries() : scan.fault()));
            }
        }
        Files.move(part(), whole, StandardCopyOption.ATOMIC_MOVE);
        directory.force();
    }
}
