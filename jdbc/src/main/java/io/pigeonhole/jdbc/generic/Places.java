package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Places in the order of arrival, which are the ids of work and of dead letters, for messages that have none, or whose own
 * another message has. A database that makes ids for the rows of one table only gives a place by a row in work, which is deleted
 * at once.
 */
final class Places {
    /** How often a place is looked for that others may take at the same time. */
    static final int MOST_TRIES = 5;

    private Places() {}

    /** The next place. */
    static long next(PlainSession session) throws SQLException {
        long place;
        try (Call call = session.callMakingANumber(PlaceStatement.TAKE_NEXT)) {
            place = bind(call).insert();
        } catch (SQLException e) {
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
            return behindAll(session);
        }
        session.delete(MessageStatement.DELETE_FROM_WORK, place);
        return place;
    }

    /** A place behind all messages, for one whose own place another message has. The counter need not know of it. */
    static long behindAll(PlainSession session) throws SQLException {
        for (int i = 0; i < MOST_TRIES; i++) {
            try (Call call = session.call(PlaceStatement.BEHIND_ALL)) {
                long place = call.read(row -> {
                    row.next();
                    return row.getLong(1);
                });
                take(session, place);
                return place;
            } catch (SQLException e) {
                if (!session.dialect().isDuplicateKey(e)) {
                    throw e;
                }
            }
        }
        throw noneIsFree();
    }

    /** Fails where a row has the place, and waits for whoever is giving or taking it. */
    private static void take(PlainSession session, long place) throws SQLException {
        try (Call call = session.call(PlaceStatement.TAKE)) {
            bind(call.number("id", place)).change();
        }
        session.delete(MessageStatement.DELETE_FROM_WORK, place);
    }

    /** The row of no consumer. */
    static Call bind(Call call) throws SQLException {
        return call.key(anyKey()).bytes("headers", new byte[0]).now();
    }

    /** Others were faster each time. */
    static StoreException noneIsFree() {
        return new StoreException(
                ErrorClass.RETRY_NOW,
                "no place in the order of arrival was free at " + MOST_TRIES + " tries, because others took them",
                null);
    }

    /** As good as none has it. */
    static MessageKey anyKey() {
        return MessageKey.of(UUID.randomUUID());
    }
}
