package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory for one run at a time. Runs side by side get one each; what an earlier run left in it, because it was killed
 * itself, is stopped and deleted, its database server included. The unpacked programs of servers stay for the next run.
 */
public final class Workplace implements AutoCloseable {
    private static final Pattern SERVER = Pattern.compile("postgres|mariadbd|mysqld");

    private final Path directory;
    private final FileChannel lock;

    private Workplace(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Takes the first directory that nobody uses.
     *
     * @param base where the directories are
     * @return one, empty but for the programs of servers
     */
    public static Workplace take(Path base) {
        try {
            for (int number = 1; ; number++) {
                Path directory = Files.createDirectories(base.resolve("run-" + number));
                FileChannel lock = FileChannel.open(
                        directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (lock.tryLock() != null) {
                    Workplace workplace = new Workplace(directory, lock);
                    workplace.tidy();
                    return workplace;
                }
                lock.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no place to work in " + base, e);
        }
    }

    /**
     * Where everything of the run is.
     *
     * @return the directory
     */
    public Path directory() {
        return directory;
    }

    /**
     * Where PostgreSQL is.
     *
     * @return its directory
     */
    public Path postgres() {
        return directory.resolve("postgres");
    }

    Path mariaDb() {
        return directory.resolve("mariadb");
    }

    Path h2() {
        return directory.resolve("h2");
    }

    /**
     * Where brokers are. Deleted at the end.
     *
     * @return their directory
     */
    public Path broker() {
        return directory.resolve("broker");
    }

    private void tidy() throws IOException {
        for (Path file : list(directory)) {
            if (file.equals(postgres()) || file.equals(mariaDb())) {
                for (Path data : list(file)) {
                    if (String.valueOf(data.getFileName()).startsWith("data-")) {
                        stopServer(data.resolve("postmaster.pid"));
                        stopServer(data.resolve("server.pid"));
                        delete(data);
                    }
                }
            } else if (!file.endsWith("lock")) {
                delete(file);
            }
        }
    }

    private static void stopServer(Path pidFile) throws IOException {
        if (Files.notExists(pidFile)) {
            return;
        }
        long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).trim());
        ProcessHandle.of(pid)
                .filter(process ->
                        SERVER.matcher(process.info().command().orElse("")).find())
                .ifPresent(server -> {
                    List<ProcessHandle> backends = server.descendants().toList();
                    server.destroyForcibly();
                    backends.forEach(ProcessHandle::destroyForcibly);
                });
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Deletes the broker's data; the logs stay to be looked at. */
    @Override
    public void close() throws IOException {
        try {
            if (Files.exists(broker())) {
                delete(broker());
            }
        } finally {
            lock.close();
        }
    }
}
