package io.pigeonhole.jackson;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file in which the days of a directory are locked, one object for all threads of this process that use it. It is open for
 * as long as a day is locked. The map of all files is guarded by the class, which touches no disk meanwhile; all else by the
 * object. Safe for use by many threads.
 */
final class LockFile {
    private static final Map<Object, LockFile> FILES = new HashMap<>();

    private final Object key;
    private final Path path;

    /** The first one has the locks; any others are closed together with it. */
    private final List<FileChannel> channels = new ArrayList<>();

    private int users;
    private int locks;

    private LockFile(Object key, Path path) {
        this.key = key;
        this.path = path;
    }

    /** Takes a lock with the descriptor of the file. */
    @FunctionalInterface
    interface Locking {
        FileLock on(FileChannel channel) throws IOException;
    }

    /**
     * The file, the same for each path that leads there; created if it is missing.
     *
     * @param path in a directory that exists
     * @return the file, until {@link #leave}
     */
    static LockFile enter(Path path) throws IOException {
        FileChannel created = null;
        try {
            created = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            // It stays from an earlier day. Nothing is opened, and so nothing is closed.
        }
        LockFile file = entered(path, created);
        if (created != null) {
            // Another thread may have opened it meanwhile, and have a lock that would end if this were closed.
            file.add(created);
        }
        return file;
    }

    private static LockFile entered(Path path, @Nullable FileChannel created) throws IOException {
        Object key;
        try {
            key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            key = key == null ? path.toRealPath() : key;
        } catch (IOException | RuntimeException e) {
            if (created != null) {
                created.close();
            }
            throw e;
        }
        synchronized (LockFile.class) {
            LockFile file = FILES.computeIfAbsent(key, found -> new LockFile(found, path));
            file.users++;
            return file;
        }
    }

    private synchronized void add(FileChannel created) {
        channels.add(created);
    }

    /** Locks with the descriptor, which is opened for the first lock. */
    synchronized FileLock lock(Locking locking) throws IOException {
        FileLock lock = null;
        try {
            if (channels.isEmpty()) {
                channels.add(FileChannel.open(path, StandardOpenOption.WRITE));
            }
            lock = locking.on(channels.get(0));
            locks++;
            return lock;
        } finally {
            if (lock == null) {
                closeUnused();
            }
        }
    }

    synchronized void release(FileLock lock) throws IOException {
        locks--;
        try {
            lock.release();
        } finally {
            closeUnused();
        }
    }

    private void closeUnused() throws IOException {
        if (locks > 0) {
            return;
        }
        List<FileChannel> unused = List.copyOf(channels);
        channels.clear();
        for (FileChannel channel : unused) {
            channel.close();
        }
    }

    /** Behind the last lock, which has closed the file: whoever enters next opens it anew. */
    void leave() {
        synchronized (LockFile.class) {
            users--;
            if (users == 0) {
                FILES.remove(key);
            }
        }
    }
}
