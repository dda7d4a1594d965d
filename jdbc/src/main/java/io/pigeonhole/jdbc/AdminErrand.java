package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One change that somebody makes, in a transaction of its own with its entry in the audit.
 *
 * @param connection the transaction
 * @param consumer whose messages
 * @param by who, and why
 */
record AdminErrand(Connection connection, RegisteredConsumer consumer, Author by) {
    /** lock_not_available */
    private static final String LOCK_TIMEOUT = "55P03";

    private static final int LONGEST_DETAIL = 2_000;

    /** What is done in it. */
    @FunctionalInterface
    interface Work<T> {
        T run(AdminErrand errand) throws SQLException;
    }

    /** Leaves the loop of {@link Errand#run}, which would wait several times. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Busy(SQLException cause) {
            super(cause);
        }
    }

    /** Runs a change; empty where it met a lock for longer than an errand waits, and nothing was changed. */
    static <T> Optional<T> run(ConnectionSource connections, String doing, String consumer, Author by, Work<T> work) {
        try {
            return Optional.of(Errand.run(connections, doing, connection -> {
                RegisteredConsumer registered = AdminRows.consumer(connection, consumer);
                try {
                    return work.run(new AdminErrand(connection, registered, by));
                } catch (SQLException e) {
                    if (LOCK_TIMEOUT.equals(e.getSQLState())) {
                        throw new Busy(e);
                    }
                    throw e;
                }
            }));
        } catch (Busy e) {
            return Optional.empty();
        }
    }

    /** Locks lanes as those do who store messages; nothing where there are none. */
    void lockLanes(Collection<Integer> lanes) throws SQLException {
        if (lanes.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(AdminChangeStatements.LOCK_LANES)) {
            statement.setString(1, String.valueOf(consumer.id()));
            statement.setString(2, array(new TreeSet<>(lanes)));
            statement.execute();
        }
    }

    /** Asks about one message of the consumer; null where the answer has no row. */
    <T> @Nullable T ask(String sql, MessageKey key, AdminRows.Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setShort(1, consumer.id());
            statement.setObject(2, key.toUuid());
            return AdminRows.readFirst(statement, reader);
        }
    }

    /** Changes the one row that has an id; the row is locked. */
    int change(String sql, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, id);
            return statement.executeUpdate();
        }
    }

    void audit(AdminAction action, @Nullable MessageKey key, String detail, long affected) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AdminChangeStatements.AUDIT)) {
            statement.setString(1, by.who());
            statement.setString(2, by.why());
            statement.setString(3, action.name());
            statement.setString(4, consumer.name());
            statement.setString(5, key == null ? null : key.toString());
            statement.setString(6, bounded(detail));
            statement.setLong(7, affected);
            statement.executeUpdate();
        }
    }

    static String bounded(String detail) {
        return CleanText.of(detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL));
    }

    static String array(Collection<? extends Number> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
}
