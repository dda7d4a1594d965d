package io.pigeonhole.jackson;

import io.pigeonhole.core.archive.ArchivedStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The directory of an archive, which belongs to one store and says so in a file. An empty directory is taken for a new archive
 * only where the store has exported nothing yet: otherwise it is most likely where a disk should be mounted. Safe for use by
 * many threads and processes.
 */
record ArchiveDirectory(Path path) {
    /** Says whose archive it is. */
    static final String OWNER = "inbox-archive.json";

    /** Creates what is missing, if the store may have a new archive. */
    void prepare(ArchivedStore store) throws IOException {
        if (Files.exists(owner())) {
            requireOwn(store);
            return;
        }
        requireNoneBefore(store);
        create(path);
        // Whole under its own name before it gets the right one, where another process may read it.
        Path whole = path.resolve(OWNER + "." + UUID.randomUUID() + ".new");
        try {
            write(whole, document(store));
            take(whole, store);
        } catch (FileAlreadyExistsException e) {
            // Another process was faster.
        } finally {
            Files.deleteIfExists(whole);
        }
        force(path);
        requireOwn(store);
    }

    /** Of those who try at once, one succeeds: a renaming would replace what was created since it looked. */
    private void take(Path whole, ArchivedStore store) throws IOException {
        try {
            Files.createLink(owner(), whole);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | FileSystemException e) {
            // A file system without links. Whoever reads the file while it is written is refused, and may try again.
            writeOwner(store);
        }
    }

    /** A full disk leaves nothing that would be taken for another store's. */
    private void writeOwner(ArchivedStore store) throws IOException {
        try {
            write(owner(), document(store));
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException e) {
            Files.deleteIfExists(owner());
            throw e;
        }
    }

    /** Throws where it is the archive of another store, or the one of this store is not there. */
    void require(ArchivedStore store) throws IOException {
        if (Files.exists(owner())) {
            requireOwn(store);
        } else {
            requireNoneBefore(store);
        }
    }

    private Path owner() {
        return path.resolve(OWNER);
    }

    private static String document(ArchivedStore store) {
        return JsonMapper.shared().createObjectNode().put("store", store.id()).toString() + "\n";
    }

    private void requireOwn(ArchivedStore store) throws IOException {
        String found = ownerId();
        if (found == null) {
            throw new IOException(
                    owner() + " names no store: another program is just writing it, or died while it did. Delete the"
                            + " file if it stays so, and is of no other archive; nothing was written");
        }
        if (!store.id().equals(found)) {
            throw new IOException(owner() + " says that the archive belongs to "
                    + "the store " + found + ", not to this one, "
                    + store.id() + ". Each store needs a directory of its own; nothing was written");
        }
    }

    private @Nullable String ownerId() throws IOException {
        try {
            return JsonMapper.shared()
                    .readTree(Files.readAllBytes(owner()))
                    .path("store")
                    .asString(null);
        } catch (JacksonException e) {
            return null;
        }
    }

    private void requireNoneBefore(ArchivedStore store) throws IOException {
        if (store.lastExported() != null) {
            throw new IOException(
                    path.toAbsolutePath() + " is not the archive of this store, which has exported days before,"
                            + " the last of them " + store.lastExported() + ": it has no file " + OWNER
                            + ". Is its disk mounted? To begin a new archive there, create that file with the content "
                            + document(store).strip());
        }
    }

    /**
     * Creates a directory, and makes it and those above it durable: the ones that are new, and the ones that an earlier process
     * may have created right before it died.
     */
    private static void create(Path directory) throws IOException {
        Deque<Path> changed = new ArrayDeque<>();
        Set<Path> old = new HashSet<>();
        boolean isNew = !Files.exists(directory);
        Path above = directory.toAbsolutePath().getParent();
        while (above != null) {
            if (isNew || mayHaveChanged(above)) {
                changed.push(above);
            }
            if (!isNew) {
                old.add(above);
            }
            isNew = !Files.exists(above);
            above = above.getParent();
        }
        Files.createDirectories(directory);
        for (Path each : changed) {
            try {
                force(each);
            } catch (IOException e) {
                // Some file systems cannot force a directory, and this one is most likely as old as they are.
                if (!old.contains(each)) {
                    throw e;
                }
            }
        }
    }

    /** Nobody creates a directory where nothing can be written, such as in an image that is only read. */
    private static boolean mayHaveChanged(Path directory) {
        return Files.isWritable(directory) && Files.isReadable(directory);
    }

    private static void write(Path file, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            var bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** So that names survive a crash of the machine, where the system can open a directory at all. */
    void force() throws IOException {
        force(path);
    }

    private static void force(Path directory) throws IOException {
        FileChannel names;
        try {
            names = FileChannel.open(directory, StandardOpenOption.READ);
        } catch (IOException e) {
            if (Files.isReadable(directory) && System.getProperty("os.name", "").startsWith("Windows")) {
                // It has no such thing, and writes names at once.
                return;
            }
            throw e;
        }
        try (names) {
            names.force(true);
        }
    }

    /** A name that is not taken, for something that is set aside. */
    Path aside(Path file) {
        int number = 1;
        Path aside = file.resolveSibling(file.getFileName() + ".damaged-" + number);
        while (Files.exists(aside)) {
            number++;
            aside = file.resolveSibling(file.getFileName() + ".damaged-" + number);
        }
        return aside;
    }
}
