package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program in a JVM of its own: started, killed with SIGKILL, started again. Not for use by many threads, except for
 * {@link #close()}, after which nothing is started any more.
 */
public final class ChildProcess implements AutoCloseable {
    private static final int KILLED = 128 + 9;
    private static final int STOP_SECONDS = 15;

    private final Class<?> main;
    private final int heapMegabytes;
    private final Path output;
    private final List<String> arguments;
    private @Nullable Process process;
    private boolean closed;

    /**
     * A program that is not started yet. It ends by itself when its standard input does ({@link ParentWatch}).
     *
     * @param main its main class
     * @param heapMegabytes how large its heap may become
     * @param output where its output and its log go
     * @param arguments what it is started with
     */
    public ChildProcess(Class<?> main, int heapMegabytes, Path output, List<String> arguments) {
        this.main = main;
        this.heapMegabytes = heapMegabytes;
        this.output = output;
        this.arguments = List.copyOf(arguments);
    }

    /** Starts it, unless this is closed. */
    public synchronized void start() {
        if (closed) {
            return;
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx" + heapMegabytes + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
        command.add("-Dlogback.configurationFile=demo-logback.xml");
        command.add("-Ddemo.log=" + output);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + main.getSimpleName(), e);
        }
    }

    private synchronized Process running() {
        if (process == null) {
            throw new IllegalStateException("the process was never started");
        }
        return process;
    }

    /**
     * Its number.
     *
     * @return the number that the operating system gave it
     */
    public long pid() {
        return running().pid();
    }

    /**
     * Waits until the process ends by itself, or the time is over.
     *
     * @param millis how long
     * @return whether it has ended
     * @throws InterruptedException if somebody interrupts the thread
     */
    public boolean endsWithin(long millis) throws InterruptedException {
        return running().waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Kills it with SIGKILL and waits until it is gone.
     *
     * @return true if it was this that ended it, false if it had ended before
     * @throws InterruptedException if somebody interrupts the thread
     */
    public boolean kill() throws InterruptedException {
        Process victim = running();
        victim.destroyForcibly();
        return victim.waitFor() == KILLED;
    }

    /**
     * How it ended.
     *
     * @return its exit code
     */
    public int exitCode() {
        return running().exitValue();
    }

    /**
     * Asks it to end by itself and waits; what does not listen is killed.
     *
     * @throws InterruptedException if somebody interrupts the thread
     */
    public void stop() throws InterruptedException {
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
