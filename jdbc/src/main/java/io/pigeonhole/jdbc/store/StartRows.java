package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.RetentionClock;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Who begins with what. */
public final class StartRows {
    private StartRows() {}

    /** How often it was begun with, this time too; 0 where the limit is reached and the last start is fresh. */
    public static int started(AdminSession session, RegisteredConsumer consumer, Start start, int limit, Duration fresh)
            throws SQLException {
        try (Call call = session.call(ConsumerStatement.IS_PAUSED)) {
            if (Boolean.TRUE.equals(call.consumer(consumer).first(row -> row.getBoolean(1)))) {
                throw new ConsumerPausedException(consumer.name());
            }
        }
        if (!startAgain(session, consumer, start, limit, fresh)
                && !startFirst(session, consumer, start)
                && !startAgain(session, consumer, start, limit, fresh)) {
            return 0;
        }
        try (Call call = session.call(ConsumerStatement.STARTS)) {
            return Objects.requireNonNull(
                    call.consumer(consumer).text("what", start.what()).first(row -> row.getInt(1)));
        }
    }

    private static boolean startAgain(
            AdminSession session, RegisteredConsumer consumer, Start start, int limit, Duration fresh)
            throws SQLException {
        try (Call call = session.call(ConsumerStatement.START_AGAIN)) {
            Instant now = session.now();
            // This program's clock may be a little behind that of the one who has just begun.
            return bind(call, consumer, start)
                            .instant("now", now)
                            .number("limit", limit)
                            .instant("fresh_since", now.minus(fresh))
                            .instant("latest", now.plus(RetentionClock.PRECISION))
                            .change()
                    > 0;
        }
    }

    private static boolean startFirst(AdminSession session, RegisteredConsumer consumer, Start start)
            throws SQLException {
        try (Call call = session.call(ConsumerStatement.START)) {
            return session.operations()
                    .insertUnlessThere(bind(call, consumer, start).now());
        }
    }

    /** How many rows were changed. */
    public static int ended(AdminSession session, RegisteredConsumer consumer, Start start) throws SQLException {
        return change(session, ConsumerStatement.END, consumer, start);
    }

    /** How many rows were changed. */
    public static int survived(AdminSession session, RegisteredConsumer consumer, Start start) throws SQLException {
        return change(session, ConsumerStatement.SURVIVE, consumer, start);
    }

    private static int change(
            AdminSession session, ConsumerStatement statement, RegisteredConsumer consumer, Start start)
            throws SQLException {
        try (Call call = session.call(statement)) {
            return bind(call, consumer, start).change();
        }
    }

    private static Call bind(Call call, RegisteredConsumer consumer, Start start) throws SQLException {
        return call.consumer(consumer)
                .text("what", start.what())
                .text("position", start.position())
                .text("by", start.by());
    }
}
