package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.demo.ChildProcess;
import io.pigeonhole.examples.demo.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The processes of all services: started, killed, and started again when they end. For one thread, but for {@link #close()}. */
final class Services implements AutoCloseable {
    private static final int HEAP_MEGABYTES = 128;
    private static final int CRASHES_BORNE = 5;
    private static final int LOG_TAIL = 15;

    private final Map<Service, ChildProcess> processes = new EnumMap<>(Service.class);
    private final Map<Service, Integer> crashes = new EnumMap<>(Service.class);
    private final Path directory;
    private final Progress progress;

    Services(ChainServers servers, Path directory, Progress progress) {
        this.directory = directory;
        this.progress = progress;
        for (Service service : Service.values()) {
            processes.put(
                    service,
                    new ChildProcess(
                            service.main(),
                            HEAP_MEGABYTES,
                            log(service),
                            servers.settings(service, directory).toArguments()));
        }
    }

    private Path log(Service service) {
        return directory.resolve(service.main().getSimpleName() + ".log");
    }

    void start() {
        processes.values().forEach(ChildProcess::start);
    }

    /**
     * Kills one with SIGKILL and starts it again.
     *
     * @return the process that it was, or 0 if that had ended by itself
     */
    long kill(Service service) throws InterruptedException {
        ChildProcess process = processOf(service);
        long pid = process.pid();
        boolean killed = process.kill();
        process.start();
        crashes.remove(service);
        return killed ? pid : 0;
    }

    /** Starts those again that have ended by themselves, as one does that starts while its database is killed. */
    void restartEnded() throws InterruptedException {
        for (Service service : Service.values()) {
            ChildProcess process = processOf(service);
            if (process.endsWithin(0)) {
                int inARow = crashes.merge(service, 1, Integer::sum);
                if (inARow > CRASHES_BORNE) {
                    throw new IllegalStateException(service.text() + " ended by itself " + inARow
                            + " times, with exit code " + process.exitCode() + "." + tail(log(service)));
                }
                progress.say("  " + service.text() + " ended by itself, with exit code " + process.exitCode()
                        + "; starting it again");
                process.start();
            }
        }
    }

    void stop() throws InterruptedException {
        for (ChildProcess process : processes.values()) {
            process.stop();
        }
    }

    private ChildProcess processOf(Service service) {
        ChildProcess process = processes.get(service);
        if (process == null) {
            throw new IllegalStateException("there is no process of " + service);
        }
        return process;
    }

    private static String tail(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            return " The end of " + file + ":\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        processes.values().forEach(ChildProcess::close);
    }
}
