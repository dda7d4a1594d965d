package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.jdbc.replay.HistoryBarrier;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the numbers of transactions. Whoever records a message has claimed it, taken it or read its watermark before, and
 * so has a number already; one that is given out afterwards is greater. Numbers are of one row for all databases of the server: a
 * transaction that is seen to be another database's is not waited for.
 */
record PostgresBarrier(ShortTransactions transactions) implements HistoryBarrier {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresBarrier.class);

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
        return ask(HistoryBarrierStatement.IS_PAST, mark) || isPastHere(mark);
    }

    private boolean isPastHere(long mark) {
        try {
            return ask(HistoryBarrierStatement.IS_PAST_HERE, mark);
        } catch (PigeonholeException e) {
            // Somebody may have taken the right to look at pg_stat_activity from everybody.
            LOG.debug("whose older transactions are, cannot be found out: all of them are waited for", e);
            return false;
        }
    }

    private boolean ask(HistoryBarrierStatement question, long mark) {
        return transactions.run("to look for older transactions", session -> {
            try (Call call = session.call(question)) {
                return call.number("mark", mark).read(row -> row.next() && row.getBoolean(1));
            }
        });
    }
}
