package io.pigeonhole.crash;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of its own that runs one of our main classes; what it prints goes to a file. */
public final class ChildJvm {
    private static final int LONGEST_SECONDS = 60;

    private final Process process;
    private final Path output;

    private ChildJvm(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    public static ChildJvm start(Class<?> main, Path output, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        try {
            Files.createDirectories(output.getParent());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(output.toFile()))
                    .start();
            return new ChildJvm(process, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a line to its standard input. */
    public void say(String line) {
        try (BufferedWriter writer = process.outputWriter()) {
            writer.write(line);
            writer.newLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int exitCode() throws InterruptedException {
        if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the process is still running after " + LONGEST_SECONDS + " s:\n" + output());
        }
        return process.exitValue();
    }

    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL, and waits until it is dead. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends a signal, such as STOP or CONT. */
    public void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, "" + process.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0 && process.isAlive()) {
                throw new AssertionError("kill -" + name + " exits with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
