package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** PostgreSQL as the admin API needs it. */
final class PostgresAdminDatabase implements AdminDatabase {
    /** lock_not_available */
    private static final String LOCK_TIMEOUT = "55P03";

    /** Ours hold by settings: see {@link PostgresStatements#ERRAND}. */
    private static final int NO_LIMIT = 0;

    private final ConnectionSource connections;
    private final KnownDays days;

    PostgresAdminDatabase(ConnectionSource connections, KnownDays days) {
        this.connections = connections;
        this.days = days;
    }

    /** Leaves the loop of {@link Errand#run}, which would wait several times. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Busy(SQLException cause) {
            super(cause);
        }
    }

    @Override
    public <T> T look(String what, Work<T> work) {
        return Errand.run(
                connections,
                PostgresStatements.LOOK,
                "to read " + what,
                connection -> work.run(new AdminSession(connection, days)));
    }

    @Override
    public <T> Optional<T> change(String doing, Work<T> work) {
        try {
            return Optional.of(Errand.run(connections, doing, connection -> {
                try {
                    return work.run(new AdminSession(connection, days));
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

    /** A list in one parameter. */
    static String array(Collection<? extends Number> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    private record AdminSession(Connection connection, KnownDays days) implements Session {
        @Override
        public AdminCall call(AdminStatement statement, int... ids) throws SQLException {
            return new PostgresCall(connection.prepareStatement(PostgresAdminStatements.text(statement)));
        }

        /** A few days at a time, newest first: each day that a statement looks at takes locks, which its savepoint gives back. */
        @Override
        public <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException {
            for (String sql : PostgresParts.ofHistory(connection, PostgresReadStatements.SHOW_HISTORY_BETWEEN)) {
                Savepoint before = connection.setSavepoint();
                T found;
                try (AdminCall call = new PostgresCall(connection.prepareStatement(sql))) {
                    found = look.in(call);
                }
                connection.rollback(before);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        @Override
        public AdminCall replay(ReplayStatement statement) throws SQLException {
            return new PostgresCall(connection.prepareStatement(PostgresReplayStatements.text(statement)));
        }

        @Override
        public AdminCall retention(RetentionStatement statement) throws SQLException {
            return new PostgresCall(connection.prepareStatement(PostgresRetentionStatements.text(statement)));
        }

        @Override
        public Instant now() throws SQLException {
            try (AdminCall call = new PostgresCall(connection.prepareStatement(PostgresChangeStatements.NOW))) {
                return Objects.requireNonNull(call.first(row -> call.rows.instant(row, 1)));
            }
        }

        @Override
        public void lockLanes(RegisteredConsumer consumer, Collection<Integer> lanes) throws SQLException {
            if (lanes.isEmpty()) {
                return;
            }
            try (PreparedStatement statement = connection.prepareStatement(PostgresChangeStatements.LOCK_LANES)) {
                statement.setString(1, String.valueOf(consumer.id()));
                statement.setString(2, array(new TreeSet<>(lanes)));
                statement.execute();
            }
        }

        @Override
        public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
            return Claims.byHand(connection, consumer, keys, days, NO_LIMIT);
        }

        @Override
        public Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
                throws SQLException {
            List<Long> delays = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                delays.add(interval.multipliedBy(i).toNanos() / 1_000);
            }
            try (AdminCall call = new PostgresCall(connection.prepareStatement(PostgresChangeStatements.REQUEUE))) {
                return new HashSet<>(call.ids(ids)
                        .ids(delays)
                        .consumer(consumer)
                        .instant(first)
                        .all(row -> row.getLong(1)));
            }
        }

        @Override
        public void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException {
            try (AdminCall call = new PostgresCall(connection.prepareStatement(PostgresChangeStatements.SKIP))) {
                call.id(id).text(detail).change();
            }
        }
    }
}
