package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@link Errand} is on PostgreSQL: something that the store does by itself, in one short transaction.
 *
 * @param <T> what it comes back with
 */
@FunctionalInterface
interface PlainErrand<T> {
    /** How long it waits for others. */
    Duration PATIENCE = Duration.ofSeconds(2);

    /** No errand takes longer, unless its process was stopped. */
    Duration IDLE_LIMIT = Duration.ofMinutes(1);

    /** Does it; committed afterwards. */
    T run(PlainSession session) throws SQLException;

    /** Runs an errand, and once more, at most a few times, where another transaction was in its way. */
    static <T> T run(ConnectionSource connections, Dialect dialect, String doing, PlainErrand<T> errand) {
        return repeat(connections, dialect, doing, connection -> inTransaction(connection, dialect, errand));
    }

    /** The same for one that only reads, all of it as it is at one moment. */
    static <T> T read(ConnectionSource connections, Dialect dialect, String doing, PlainErrand<T> errand) {
        return repeat(
                connections,
                dialect,
                doing,
                connection -> inTransaction(connection, dialect, PlainSettings::beginToRead, errand));
    }

    /** The same as {@link #run}, within a {@link NetworkLimit}: for a caller who must not wait over a dead connection. */
    static <T> T runQuick(ConnectionSource connections, Dialect dialect, String doing, PlainErrand<T> errand) {
        return repeat(
                connections,
                dialect,
                doing,
                connection -> NetworkLimit.within(connection, limited -> inTransaction(limited, dialect, errand)));
    }

    private static <T> T repeat(ConnectionSource connections, Dialect dialect, String doing, Errand<T> transaction) {
        int attempts = 5;
        while (true) {
            try (Connection connection = Errand.open(connections)) {
                return transaction.run(connection);
            } catch (SQLException e) {
                attempts--;
                // Its causes too: a driver may say of a batch only there what was in its way.
                PlainErrors errors = new PlainErrors(dialect);
                if (attempts == 0 || errors.classify(e) != ErrorClass.RETRY_NOW) {
                    throw Refusals.byItself(errors, doing, e);
                }
            }
        }
    }

    /** Runs it on a connection, which is then as it was before. */
    static <T> T inTransaction(Connection connection, Dialect dialect, PlainErrand<T> errand) throws SQLException {
        return inTransaction(connection, dialect, PlainSettings::begin, errand);
    }

    private static <T> T inTransaction(
            Connection connection, Dialect dialect, Beginning beginning, PlainErrand<T> errand) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        PlainSettings settings = new PlainSettings(connection, dialect);
        try {
            beginning.begin(settings, IDLE_LIMIT);
            settings.wait(PATIENCE);
            T result = errand.run(PlainSession.on(connection, dialect));
            PlainSession.execute(connection, dialect.beforeCommit());
            connection.commit();
            reset(connection, settings, autoCommit);
            return result;
        } catch (Throwable e) {
            if (Errand.rollback(connection)) {
                reset(connection, settings, autoCommit);
            } else {
                Errand.abort(connection);
            }
            throw e;
        }
    }

    /** What cannot be put back is not given back either. */
    private static void reset(Connection connection, PlainSettings settings, boolean autoCommit) {
        if (!left("restored", settings::end) || !left("reset", () -> connection.setAutoCommit(autoCommit))) {
            Errand.abort(connection);
        }
    }

    /** How its transaction begins. */
    @FunctionalInterface
    interface Beginning {
        void begin(PlainSettings settings, Duration idleLimit) throws SQLException;
    }

    /** Something to do on a connection that commits each statement by itself. */
    @FunctionalInterface
    interface Alone {
        void run(Connection connection) throws SQLException;
    }

    /** Runs it on one connection, which is then as it was before, and with the schema locked if asked to. */
    static void alone(ConnectionSource connections, Dialect dialect, boolean locked, Alone work) throws SQLException {
        try (Connection connection = Errand.open(connections)) {
            boolean autoCommit = connection.getAutoCommit();
            boolean readOnly = connection.isReadOnly();
            connection.setAutoCommit(true);
            connection.setReadOnly(false);
            try {
                if (!locked) {
                    run(connection, work);
                    return;
                }
                dialect.lockSchema(connection);
                try {
                    run(connection, work);
                } finally {
                    // Whoever gets it next would keep the schema locked for all others.
                    if (!left("unlocked", () -> dialect.unlockSchema(connection))) {
                        Errand.abort(connection);
                    }
                }
            } finally {
                boolean reset = left("reset", () -> {
                    connection.setReadOnly(readOnly);
                    connection.setAutoCommit(autoCommit);
                });
                if (!reset) {
                    Errand.abort(connection);
                }
            }
        }
    }

    /** After an error of the virtual machine nobody knows what the session still has, a locked table for instance. */
    private static void run(Connection connection, Alone work) throws SQLException {
        try {
            work.run(connection);
        } catch (Error e) {
            Errand.abort(connection);
            throw e;
        }
    }

    private static boolean left(String what, HandlerTransaction.Step step) {
        try {
            step.run();
            return true;
        } catch (Throwable e) {
            Logger log = LoggerFactory.getLogger(PlainErrand.class);
            log.debug("a connection could not be {}: it is ended", what, e);
            return false;
        }
    }
}
