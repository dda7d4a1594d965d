package io.pigeonhole.jdbc;

import java.util.concurrent.Executor;

/**
 * Gives each task a thread of its own. The common pool has one on two processors, on which tasks that wait for each other
 * wait for ever.
 */
public final class OwnThread {
    /** Starts a daemon thread for each task. */
    public static final Executor FOR_EACH = task -> {
        Thread thread = new Thread(task, "own-thread");
        thread.setDaemon(true);
        thread.start();
    };

    private OwnThread() {}
}
