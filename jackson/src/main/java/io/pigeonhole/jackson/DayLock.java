package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.DayLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.LocalDate;

/**
 * Keeps a day of a directory to one writer, among all threads and processes. Each day is a byte of one file that nobody reads,
 * renames or deletes. POSIX ends all locks that a process has on a file when it closes any of its descriptors of that file: so a
 * process locks with one descriptor of it, whatever paths lead there, and closes it with the last lock. A crash ends the locks.
 * Safe for use by many threads; a disk that does not answer holds up those only who use its directory.
 */
final class DayLock implements AutoCloseable {
    private static final String FILE = "inbox-archive.lock";

    /** More days than there will be. */
    private static final long DAYS = 1L << 40;

    private final LockFile file;
    private final FileLock lock;
    private boolean closed;

    private DayLock(LockFile file, FileLock lock) {
        this.file = file;
        this.lock = lock;
    }

    /**
     * Locks a day.
     *
     * @param directory exists
     * @param day the day
     * @return the lock, to be closed
     * @throws DayLockedException if another thread or process has it
     * @throws IOException if the file cannot be written
     */
    static DayLock of(Path directory, LocalDate day) throws IOException {
        LockFile file = LockFile.enter(directory.resolve(FILE));
        FileLock lock = null;
        try {
            lock = file.lock(channel -> lock(channel, directory, day));
            return new DayLock(file, lock);
        } finally {
            if (lock == null) {
                file.leave();
            }
        }
    }

    private static FileLock lock(FileChannel channel, Path directory, LocalDate day) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock(Math.floorMod(day.toEpochDay(), DAYS), 1, false);
        } catch (OverlappingFileLockException e) {
            throw new DayLockedException(day + " is being written by another thread in " + directory, e);
        }
        if (lock == null) {
            throw new DayLockedException(day + " is being written by another process in " + directory, null);
        }
        return lock;
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            file.release(lock);
        } finally {
            file.leave();
        }
    }
}
