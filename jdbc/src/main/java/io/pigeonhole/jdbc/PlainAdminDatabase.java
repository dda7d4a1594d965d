package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A database without PostgreSQL's abilities as the admin API needs it. */
final class PlainAdminDatabase implements AdminDatabase {
    private final ConnectionSource connections;
    private final Dialect dialect;

    PlainAdminDatabase(ConnectionSource connections, Dialect dialect) {
        this.connections = connections;
        this.dialect = dialect;
    }

    /** Leaves the loop of {@link PlainErrand#run}, which would wait several times. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Busy(SQLException cause) {
            super(cause);
        }
    }

    @Override
    public <T> T look(String what, Work<T> work) {
        return PlainErrand.read(
                connections, dialect, "to read " + what, session -> work.run(new PlainAdminSession(session)));
    }

    @Override
    public <T> Optional<T> change(String doing, Work<T> work) {
        try {
            return Optional.of(PlainErrand.run(connections, dialect, doing, session -> {
                try {
                    return work.run(new PlainAdminSession(session));
                } catch (SQLException e) {
                    if (dialect.isLockTimeout(e)) {
                        throw new Busy(e);
                    }
                    throw e;
                }
            }));
        } catch (Busy e) {
            return Optional.empty();
        }
    }

    private record PlainAdminSession(PlainSession session) implements Session {
        @Override
        public AdminCall call(AdminStatement statement, int... ids) throws SQLException {
            return new PlainCall(session.prepare(statement, ids), session);
        }

        @Override
        public <T> @Nullable T inHistory(HistoryLook<T> look) throws SQLException {
            try (AdminCall call = call(AdminStatement.SHOW_HISTORY)) {
                return look.in(call);
            }
        }

        @Override
        public AdminCall replay(ReplayStatement statement) throws SQLException {
            return new PlainCall(session.prepare(statement), session);
        }

        /** One by one: where a range is deleted, MariaDB also waits for the row behind its end, which is of another run. */
        @Override
        public long forgetSkipped(String run, List<Long> places) throws SQLException {
            try (PreparedStatement statement = session.prepare(ReplayStatement.FORGET_SKIPPED)) {
                for (Long place : places) {
                    statement.setString(1, run);
                    statement.setLong(2, place);
                    statement.addBatch();
                }
                return PlainSession.changed(statement.executeBatch());
            }
        }

        @Override
        public AdminCall retention(RetentionStatement statement) throws SQLException {
            return new PlainCall(session.prepare(statement), session);
        }

        @Override
        public Instant now() throws SQLException {
            return session.now();
        }

        @Override
        public void lockLanes(RegisteredConsumer consumer, Collection<Integer> lanes) throws SQLException {
            PlainLanes.lock(session, consumer, lanes);
        }

        @Override
        public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys) throws SQLException {
            return PlainClaims.byHand(session, consumer, keys);
        }

        @Override
        public Set<Long> requeue(RegisteredConsumer consumer, List<Long> ids, Instant first, Duration interval)
                throws SQLException {
            Set<Long> moved = new LinkedHashSet<>();
            for (int i = 0; i < ids.size(); i++) {
                if (copyToWork(consumer, ids.get(i), first.plus(interval.multipliedBy(i)))) {
                    moved.add(ids.get(i));
                }
            }
            try (AdminCall call = call(AdminStatement.DISCARD_LETTER)) {
                call.changeEach(moved);
            }
            return moved;
        }

        /** One by one, not as a batch: MariaDB's driver makes a bulk of batches, which cannot hold an INSERT that selects. */
        private boolean copyToWork(RegisteredConsumer consumer, long id, Instant due) throws SQLException {
            try {
                return copyToWork(consumer, id, id, due);
            } catch (SQLException e) {
                if (!session.dialect().isDuplicateKey(e)) {
                    throw e;
                }
                return !isInWorkAgain(id) && copyToWork(consumer, id, PlainDeadLetters.anotherPlace(session, id), due);
            }
        }

        private boolean copyToWork(RegisteredConsumer consumer, long id, long place, Instant due) throws SQLException {
            try (AdminCall call = call(AdminStatement.REQUEUE)) {
                return call.id(place)
                                .instant(due)
                                .now()
                                .now()
                                .consumer(consumer)
                                .id(id)
                                .change()
                        > 0;
            }
        }

        private boolean isInWorkAgain(long id) throws SQLException {
            try (AdminCall call = call(AdminStatement.IN_WORK_AGAIN)) {
                Long count = call.id(id).first(row -> row.getLong(1));
                return count != null && count > 0;
            }
        }

        @Override
        public void skip(RegisteredConsumer consumer, MessageKey key, long id, String detail) throws SQLException {
            copyToDeadLetters(consumer, key, id, detail);
            try (AdminCall call = call(AdminStatement.DISCARD_WORK)) {
                call.id(id).change();
            }
        }

        /** A duplicate key is one of the message, whose letter came meanwhile, or one of the place. */
        private void copyToDeadLetters(RegisteredConsumer consumer, MessageKey key, long id, String detail)
                throws SQLException {
            int seenAgain = 0;
            long place = id;
            for (int i = 0; i < PlainNumbers.MOST_TRIES; i++) {
                int seenBefore = PlainDeadLetters.makeRoom(session, consumer, key, true);
                if (seenBefore == PlainDeadLetters.STAYS) {
                    return;
                }
                seenAgain += seenBefore;
                if (isCopiedToDeadLetters(id, place, detail)) {
                    PlainDeadLetters.recount(session, place, seenAgain);
                    return;
                }
                place = PlainDeadLetters.freePlace(session, consumer, key, place);
            }
            throw PlainNumbers.noneIsFree();
        }

        private boolean isCopiedToDeadLetters(long id, long place, String detail) throws SQLException {
            try (AdminCall call = call(AdminStatement.SKIP)) {
                call.id(place).text(detail).now().id(id).change();
                return true;
            } catch (SQLException e) {
                if (!session.dialect().isDuplicateKey(e)) {
                    throw e;
                }
                return false;
            }
        }
    }
}
