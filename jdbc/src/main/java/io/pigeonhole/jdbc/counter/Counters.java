package io.pigeonhole.jdbc.counter;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.transaction.PendingRepair;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the counters that give numbers to rows ahead of all numbers that rows have. After a TRUNCATE, where rows were restored
 * without their counters, and on a server of PostgreSQL that was filled by logical replication, which leaves sequences alone,
 * they would give those of other rows once more. Safe for use by many threads.
 */
public final class Counters {
    private static final Logger log = LoggerFactory.getLogger(Counters.class);

    private static final long INTERVAL = Duration.ofHours(1).toNanos();

    private final ShortTransactions transactions;
    private final CounterMover mover;
    private final LongSupplier nanos;
    private volatile long lookedAt;

    public Counters(ShortTransactions transactions, CounterMover mover, LongSupplier nanos) {
        this.transactions = transactions;
        this.mover = mover;
        this.nanos = nanos;
        this.lookedAt = nanos.getAsLong() - INTERVAL;
    }

    /**
     * When a consumer is registered, unless it was done within the last hour. Where the numbers cannot be looked at, or not be moved
     * ahead for now, the program begins nevertheless: whoever is refused because a row has his number says so again ({@link
     * PendingRepair}).
     *
     * @throws ConfigurationException if counters are behind, and a person has to move them ahead
     */
    public void ensureAtStart() {
        if (nanos.getAsLong() - lookedAt < INTERVAL) {
            return;
        }
        try {
            ensure();
        } catch (ConfigurationException e) {
            throw e;
        } catch (PigeonholeException e) {
            warn(e);
        }
    }

    /**
     * Before a new consumer is registered, which else could get the number of a consumer that was: what that one has processed, the
     * new one would take for duplicates.
     *
     * @param name of the consumer
     * @throws ConfigurationException if no number is left, or if a person has to move the counter ahead
     * @throws PigeonholeException if it is impossible for now
     */
    public void ensureForNewConsumer(String name) {
        CounterBehind behind = transactions
                .run("to look at the numbers of consumers", session -> mover.look(session, Counter.CONSUMER))
                .orElse(null);
        if (behind == null) {
            return;
        }
        if (!behind.isMovable()) {
            throw new ConfigurationException("the consumer " + name + " cannot be registered: " + behind.usedUp()
                    + ". A consumer is a subscriber of the application, not a message or a user");
        }
        mover.moveAhead(behind);
    }

    /**
     * With the upkeep of a store that runs. Lets nothing else fail; where a person has to act, the warning says what to do.
     *
     * @throws StoreUnavailableException if the database is away, which nothing else need find out again
     */
    public void maintain() {
        try {
            ensure();
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (PigeonholeException e) {
            warn(e);
        }
    }

    private static void warn(PigeonholeException e) {
        log.warn(
                "the numbers that rows get could not be compared with those that they have, or not be moved ahead; all else goes"
                        + " on, and the next maintenance tries again",
                e);
    }

    /**
     * For whoever was refused because a row has his number: what a person has to do, or null where the numbers are right now.
     *
     * @throws PigeonholeException if it is impossible for now
     */
    @Nullable
    public String ensureOrTell() {
        try {
            ensure();
            return null;
        } catch (ConfigurationException e) {
            return e.getMessage();
        }
    }

    /**
     * Moves counters ahead that are behind, each also where another one cannot be moved. Changes nothing where none is. One that is
     * used up stays as it is: known consumers need no number.
     */
    private void ensure() {
        PigeonholeException first = null;
        for (CounterBehind behind : transactions.run("to look at the numbers of its rows", this::look)) {
            try {
                mover.moveAhead(behind);
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
        lookedAt = nanos.getAsLong();
    }

    private List<CounterBehind> look(AdminSession session) throws SQLException {
        List<CounterBehind> behind = new ArrayList<>();
        for (Counter counter : Counter.values()) {
            mover.look(session, counter).filter(CounterBehind::isMovable).ifPresent(behind::add);
        }
        return behind;
    }
}
