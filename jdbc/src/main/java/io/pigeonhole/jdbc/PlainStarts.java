package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.ConsumerPausedException;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.store.Start;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Who begins with what. */
final class PlainStarts {
    private PlainStarts() {}

    static int started(PlainSession session, RegisteredConsumer consumer, Start start, int limit, Duration fresh)
            throws SQLException {
        if (PlainDueWork.isPaused(session, consumer)) {
            throw new ConsumerPausedException(consumer.name());
        }
        Start clean = new Start(CleanText.of(start.what()), CleanText.of(start.position()), CleanText.of(start.by()));
        if (!startAgain(session, consumer, clean, limit, fresh)
                && !startFirst(session, consumer, clean)
                && !startAgain(session, consumer, clean, limit, fresh)) {
            return 0;
        }
        try (PreparedStatement statement = session.prepare(LedgerStatement.STARTS)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, clean.what());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** How many rows were changed. */
    static int ended(PlainSession session, RegisteredConsumer consumer, Start start) throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.END)) {
            statement.setString(1, CleanText.of(start.by()));
            statement.setShort(2, consumer.id());
            statement.setString(3, CleanText.of(start.what()));
            statement.setString(4, CleanText.of(start.position()));
            return statement.executeUpdate();
        }
    }

    /** How many rows were changed. */
    static int survived(PlainSession session, RegisteredConsumer consumer, Start start) throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.SURVIVE)) {
            statement.setString(1, CleanText.of(start.by()));
            statement.setString(2, CleanText.of(start.by()));
            statement.setShort(3, consumer.id());
            statement.setString(4, CleanText.of(start.what()));
            statement.setString(5, CleanText.of(start.position()));
            return statement.executeUpdate();
        }
    }

    private static boolean startAgain(
            PlainSession session, RegisteredConsumer consumer, Start start, int limit, Duration fresh)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.START_AGAIN)) {
            statement.setString(1, start.position());
            statement.setString(2, start.by());
            statement.setString(3, start.position());
            statement.setString(4, start.by());
            statement.setObject(5, session.timestamp());
            statement.setShort(6, consumer.id());
            statement.setString(7, start.what());
            statement.setString(8, start.position());
            statement.setString(9, start.by());
            statement.setInt(10, limit);
            statement.setObject(11, PlainSession.timestamp(session.now().minus(fresh)));
            // This program's clock may be a little behind that of the one who has just begun.
            statement.setObject(12, PlainSession.timestamp(session.now().plus(RetentionClock.PRECISION)));
            return statement.executeUpdate() > 0;
        }
    }

    private static boolean startFirst(PlainSession session, RegisteredConsumer consumer, Start start)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.START)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, start.what());
            statement.setString(3, start.position());
            statement.setString(4, start.by());
            statement.setObject(5, session.timestamp());
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            if (session.dialect().isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }
}
