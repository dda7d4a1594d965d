package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the two tables of messages to send small. Messages are appended to one of them until it has a size; then the other one takes
 * its turn, and once the first is drained it is truncated. So deleted rows go at once, also where a transaction that is open for long keeps
 * them from being vacuumed. Whoever looks for messages to send calls it; it does something once in a second at most. Safe for use by
 * many threads.
 *
 * <p>A crash between two of its transactions leaves the tables as they are; the next call goes on, on any node.
 */
final class OutboxTables {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxTables.class);

    /** About what a relay reads over in vain, where nothing can be vacuumed, split by its work partitions. */
    static final long LARGE = 16L << 20;

    /** An empty table has the first pages of its indexes. */
    private static final long SMALL = 64L << 10;

    /** As many messages are copied at most. */
    private static final int MOST_MOVED = 100;

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final long SHORTEST = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST = Duration.ofMinutes(1).toNanos();

    private final ShortTransactions transactions;
    private final LongSupplier nanos;
    private final long large;
    private long next;
    private long pause = SHORTEST;

    /** The usual one is as large as {@link #LARGE}. */
    OutboxTables(ShortTransactions transactions, LongSupplier nanos, long large) {
        this.transactions = transactions;
        this.nanos = nanos;
        this.large = large;
        this.next = nanos.getAsLong();
    }

    /** Takes the next step, if it is time for one. Does not throw. */
    void lookNowAndThen() {
        if (!isTime()) {
            return;
        }
        boolean inTurn = false;
        try {
            look();
            inTurn = true;
        } catch (PigeonholeException e) {
            // Somebody reads one for long, or the right to truncate is missing; the rows are deleted all the same.
            LOG.debug("the tables of messages to send could not be changed", FailureText.readable(e));
        } finally {
            looked(inTurn);
        }
    }

    private synchronized boolean isTime() {
        long now = nanos.getAsLong();
        if (now - next < 0) {
            return false;
        }
        next = now + LONGEST;
        return true;
    }

    private synchronized void looked(boolean inTurn) {
        pause = inTurn ? SHORTEST : Math.min(2 * pause, LONGEST);
        next = nanos.getAsLong() + pause;
    }

    /** The tables at one moment. */
    private record State(int current, long first, long second) {
        int other() {
            return 1 - current;
        }

        long size(int generation) {
            return generation == 0 ? first : second;
        }
    }

    private void look() {
        State state = transactions.runOnce("to see how large the tables of messages to send are", ANSWER, session -> {
            try (Call call = session.call(OutboxTableStatement.TABLES)) {
                return Objects.requireNonNull(
                        call.first(row -> new State(row.getInt(1), row.getLong(2), row.getLong(3))),
                        "outbox_generation has no row: put back the one that the schema came with");
            }
        });
        int other = state.other();
        if (state.size(other) > SMALL) {
            transactions.runOnce(
                    "to truncate a table of messages to send", ANSWER, session -> truncate(session, other));
        } else if (state.size(state.current()) >= large) {
            transactions.runOnce(
                    "to append to the other table of messages to send",
                    ANSWER,
                    session -> execute(session, OutboxTableStatement.APPEND_TO_0.of(other)));
        }
    }

    /**
     * Whoever has appended and not committed, or reads, is waited for for a moment. A few messages that nobody publishes, as those of a
     * destination without a relay, are copied to the other table, unless somebody else reads what is inserted from the log.
     */
    private static boolean truncate(AdminSession session, int generation) throws SQLException {
        if (messages(session, generation) > MOST_MOVED) {
            return false;
        }
        execute(session, OutboxTableStatement.LOCK_0.of(generation));
        int left = messages(session, generation);
        if (left > MOST_MOVED || (left > 0 && isReplicated(session))) {
            return false;
        }
        if (left > 0) {
            execute(session, OutboxTableStatement.MOVE_FROM_0.of(generation));
        }
        return execute(session, OutboxTableStatement.TRUNCATE_0.of(generation));
    }

    private static boolean isReplicated(AdminSession session) throws SQLException {
        try (Call call = session.call(OutboxTableStatement.REPLICATED)) {
            return !call.all(row -> 1).isEmpty();
        }
    }

    private static int messages(AdminSession session, int generation) throws SQLException {
        try (Call call = session.call(OutboxTableStatement.FIRST_MESSAGES_0.of(generation))) {
            return call.number("limit", MOST_MOVED + 1).all(row -> 1).size();
        }
    }

    private static boolean execute(AdminSession session, OutboxTableStatement statement) throws SQLException {
        try (Statement execution = session.connection().createStatement()) {
            execution.execute(session.statements().sql(statement));
            return true;
        }
    }
}
