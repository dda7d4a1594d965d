package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Cancels whatever statement the sessions of a database of MariaDB are at, by {@code KILL QUERY}, again and again. */
final class StatementKiller {
    private static final String SESSIONS =
            "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> connection_id()";

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(8);

    private final Workshop workshop;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Exception failure;

    private StatementKiller(Workshop workshop) {
        this.workshop = workshop;
        this.thread = new Thread(this::run, "statement-killer");
    }

    /** What it does meanwhile. */
    @FunctionalInterface
    interface Task {
        void run() throws InterruptedException;
    }

    /** Cancels statements while something runs. */
    static void during(Workshop workshop, Task task) throws InterruptedException {
        StatementKiller killer = new StatementKiller(workshop);
        killer.thread.start();
        try {
            task.run();
        } finally {
            killer.stop();
        }
    }

    private void run() {
        try (Connection connection = workshop.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            while (!stopped) {
                for (long session : sessions(statement)) {
                    kill(statement, session);
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
            }
        } catch (SQLException e) {
            failure = e;
        }
    }

    private static List<Long> sessions(Statement statement) throws SQLException {
        List<Long> sessions = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(SESSIONS)) {
            while (rows.next()) {
                sessions.add(rows.getLong(1));
            }
        }
        return sessions;
    }

    private static void kill(Statement statement, long session) throws SQLException {
        try {
            statement.execute("KILL QUERY " + session);
        } catch (SQLException e) {
            boolean gone = e.getErrorCode() == 1094;
            if (!gone) {
                throw e;
            }
        }
    }

    private void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        if (failure != null) {
            throw new AssertionError("statements could not be cancelled", failure);
        }
    }
}
