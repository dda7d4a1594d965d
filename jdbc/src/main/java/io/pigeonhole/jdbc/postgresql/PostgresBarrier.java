package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.replay.HistoryBarrier;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.time.Duration;

/**
 * Compares the numbers of transactions. Whoever records a message has claimed it, taken it or read its watermark before, and
 * so has a number already; one that is given out afterwards is greater.
 */
record PostgresBarrier(ShortTransactions transactions) implements HistoryBarrier {
    @Override
    public long mark() {
        return transactions.run("to mark a moment", session -> {
            try (Call call = session.call(HistoryBarrierStatement.MARK)) {
                return call.read(row -> {
                    row.next();
                    return row.getLong(1);
                });
            }
        });
    }

    @Override
    public Duration delay() {
        return Duration.ZERO;
    }

    @Override
    public boolean isPast(long mark) {
        return transactions.run("to look for older transactions", session -> {
            try (Call call = session.call(HistoryBarrierStatement.IS_PAST)) {
                return call.number("mark", mark).read(row -> row.next() && row.getBoolean(1));
            }
        });
    }
}
