package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.counter.Counter;
import io.pigeonhole.jdbc.counter.CounterBehind;
import io.pigeonhole.jdbc.counter.CounterMover;
import io.pigeonhole.jdbc.counter.LargestNumbers;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.StatementName;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/**
 * Moves columns ahead that go on by themselves behind the rows of their own table: by a row with the largest number, which is
 * deleted again in the same transaction.
 *
 * @param transactions for that
 */
record AutoIncrementMover(ShortTransactions transactions) implements CounterMover {
    /** What the database gives next is not asked for: it may be larger than it has to be. */
    @Override
    public Optional<CounterBehind> look(AdminSession session, Counter counter) throws SQLException {
        LargestNumbers numbers = LargestNumbers.of(session, counter);
        return CounterBehind.where(counter, numbers.own() + 1, numbers.largest());
    }

    /**
     * The number was read before, in another transaction. That does no harm: a row with a number of its own only ever raises the
     * counter, never lowers it, and of rows that others gave this number meanwhile none is touched.
     */
    @Override
    public void moveAhead(CounterBehind found) {
        transactions.run(
                "to move the numbers of its rows ahead", session -> take(session, found.counter(), found.largest()));
    }

    /** Waits for whoever is giving or taking the number. False where a row has it: then somebody has moved the counter. */
    private static boolean take(AdminSession session, Counter counter, long number) throws SQLException {
        return switch (counter) {
            case ARRIVAL -> {
                try (Call call = session.call(PlaceStatement.TAKE)) {
                    yield take(
                            session, Places.bind(call.number("id", number)), MessageStatement.DELETE_FROM_WORK, number);
                }
            }
            case HISTORY -> {
                try (Call call = session.call(CounterStatement.TAKE_HISTORY)) {
                    Call insert = call.number("id", number).key(Places.anyKey()).now();
                    yield take(session, insert, CounterStatement.FREE_HISTORY, number);
                }
            }
            case CONSUMER -> {
                try (Call call = session.call(CounterStatement.TAKE_CONSUMER)) {
                    Call insert = call.number("id", number)
                            .text("name", UUID.randomUUID().toString())
                            .now();
                    yield take(session, insert, CounterStatement.FREE_CONSUMER, number);
                }
            }
            case ATTEMPT, AUDIT, OUTBOX -> false; // No other table has their numbers.
        };
    }

    private static boolean take(AdminSession session, Call insert, StatementName free, long number)
            throws SQLException {
        if (!session.operations().insertUnlessThere(insert)) {
            return false;
        }
        try (Call call = session.call(free)) {
            call.number("id", number).changeLocked();
            return true;
        }
    }
}
