package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The consumer in a JVM of its own: started, killed with SIGKILL, started again. Not for use by many threads, except for
 * {@link #close()}, after which nothing is started any more.
 */
final class ConsumerProcess implements AutoCloseable {
    private static final int KILLED = 128 + 9;
    private static final int STOP_SECONDS = 15;

    private final Class<?> main;
    private final ConsumerSettings settings;
    private @Nullable Process process;
    private boolean closed;

    ConsumerProcess(Class<?> main, ConsumerSettings settings) {
        this.main = main;
        this.settings = settings;
    }

    synchronized void start() {
        if (closed) {
            return;
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
        command.add("-Dlogback.configurationFile=demo-logback.xml");
        command.add("-Ddemo.log=" + settings.output());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(settings.toArguments());
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(settings.output().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the consumer", e);
        }
    }

    private synchronized Process running() {
        if (process == null) {
            throw new IllegalStateException("the consumer was never started");
        }
        return process;
    }

    long pid() {
        return running().pid();
    }

    /** Waits until the process ends by itself, or the time is over. */
    boolean endsWithin(long millis) throws InterruptedException {
        return running().waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Kills it with SIGKILL and waits until it is gone.
     *
     * @return true if it was this that ended it, false if it had ended before
     */
    boolean kill() throws InterruptedException {
        Process victim = running();
        victim.destroyForcibly();
        return victim.waitFor() == KILLED;
    }

    /** How it ended. */
    int exitCode() {
        return running().exitValue();
    }

    /** Asks it to end by itself and waits; what does not listen is killed. */
    void stop() throws InterruptedException {
        Process process = running();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already, so is its end of the pipe.
        }
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
