package io.pigeonhole.jdbc;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.RetentionClock;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a node asks and notes before it begins with something. */
final class PlainBacklog {
    private static final int NO_LANE = -1;

    private PlainBacklog() {}

    /** Consumer, kind and lane. */
    private record Where(short consumer, Backlog.Kind kind, int lane) {}

    static List<Backlog.Due> due(PlainSession session, Collection<RegisteredConsumer> consumers) throws SQLException {
        Map<Short, RegisteredConsumer> byId = new HashMap<>();
        consumers.forEach(consumer -> byId.put(consumer.id(), consumer));
        Map<Where, Instant> first = new HashMap<>();
        try (PreparedStatement statement = session.prepare(WorkStatement.DUE, byId.size())) {
            PlainSession.bindNumbers(statement, 1, byId.keySet());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Backlog.Kind kind = Backlog.Kind.of(rows.getBoolean(2));
                    note(first, new Where(rows.getShort(1), kind, rows.getInt(3)), PlainColumns.instantOrNull(rows, 4));
                }
            }
        }
        try (PreparedStatement statement = session.prepare(WorkStatement.EXPIRING, byId.size())) {
            PlainSession.bindNumbers(statement, 1, byId.keySet());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Where where = new Where(rows.getShort(1), Backlog.Kind.EXPIRING, NO_LANE);
                    note(first, where, PlainColumns.instantOrNull(rows, 2));
                }
            }
        }
        Instant now = session.now();
        List<Backlog.Due> due = new ArrayList<>();
        first.forEach((where, at) -> {
            RegisteredConsumer consumer = byId.get(where.consumer());
            if (consumer != null) {
                Duration in = at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO;
                due.add(new Backlog.Due(consumer, where.kind(), where.lane(), in));
            }
        });
        return due;
    }

    private static void note(Map<Where, Instant> first, Where where, @Nullable Instant at) {
        if (at != null) {
            first.merge(where, at, (one, other) -> one.isBefore(other) ? one : other);
        }
    }

    static int started(
            PlainSession session, RegisteredConsumer consumer, String what, String position, int limit, Duration fresh)
            throws SQLException {
        String cleanWhat = CleanText.of(what);
        String cleanPosition = CleanText.of(position);
        if (!startAgain(session, consumer, cleanWhat, cleanPosition, limit, fresh)
                && !startFirst(session, consumer, cleanWhat, cleanPosition)
                && !startAgain(session, consumer, cleanWhat, cleanPosition, limit, fresh)) {
            return 0;
        }
        try (PreparedStatement statement = session.prepare(LedgerStatement.STARTS)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, cleanWhat);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** How many starts were taken back. */
    static int ended(PlainSession session, RegisteredConsumer consumer, String what, String position)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.END)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, CleanText.of(what));
            statement.setString(3, CleanText.of(position));
            return statement.executeUpdate();
        }
    }

    private static boolean startAgain(
            PlainSession session, RegisteredConsumer consumer, String what, String position, int limit, Duration fresh)
            throws SQLException {
        LocalDateTime now = session.timestamp();
        try (PreparedStatement statement = session.prepare(LedgerStatement.START_AGAIN)) {
            statement.setString(1, position);
            statement.setString(2, position);
            statement.setObject(3, now);
            statement.setShort(4, consumer.id());
            statement.setString(5, what);
            statement.setString(6, position);
            statement.setInt(7, limit);
            statement.setObject(8, PlainSession.timestamp(session.now().minus(fresh)));
            // This program's clock may be a little behind that of the one who has just begun.
            statement.setObject(9, PlainSession.timestamp(session.now().plus(RetentionClock.PRECISION)));
            return statement.executeUpdate() > 0;
        }
    }

    private static boolean startFirst(PlainSession session, RegisteredConsumer consumer, String what, String position)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(LedgerStatement.START)) {
            statement.setShort(1, consumer.id());
            statement.setString(2, what);
            statement.setString(3, position);
            statement.setObject(4, session.timestamp());
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
