package io.pigeonhole.examples.demo;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Everything that must not be left behind, closed in reverse order: at the end of the program, or by the JVM's shutdown
 * hook when somebody presses Ctrl-C. Safe for use by many threads; the second to close waits for the first.
 */
public final class Teardown implements AutoCloseable {
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private volatile boolean closed;

    /** Registers itself with the JVM. */
    public Teardown() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "teardown"));
    }

    /**
     * Adds one; if it is too late for that, closes it at once.
     *
     * @param resource what must not be left behind
     * @param <T> what it is
     * @return the same
     * @throws IllegalStateException if everything is being closed
     */
    public synchronized <T extends AutoCloseable> T add(T resource) {
        if (closed) {
            close(resource);
            throw new IllegalStateException("the demo is being stopped");
        }
        resources.push(resource);
        return resource;
    }

    /**
     * Whether the end has begun. Does not wait for it.
     *
     * @return true from then on
     */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!resources.isEmpty()) {
            close(resources.pop());
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            System.err.println("could not close " + resource.getClass().getSimpleName() + ": " + e);
        }
    }
}
