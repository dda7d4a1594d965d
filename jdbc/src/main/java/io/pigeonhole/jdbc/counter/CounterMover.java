package io.pigeonhole.jdbc.counter;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.jdbc.sql.AdminSession;
import java.sql.SQLException;
import java.util.Optional;

/** How one kind of database finds out which number a row gets next, and moves a counter ahead. Safe for use by many threads. */
public interface CounterMover {
    /** Looks whether a counter is behind or used up. Empty too where the database does not report it. */
    Optional<CounterBehind> look(AdminSession session, Counter counter) throws SQLException;

    /**
     * Moves a counter that was behind and is movable ahead, in a transaction of its own, unless it is ahead by then.
     *
     * @throws ConfigurationException if the database refuses that, with the statement to execute
     * @throws PigeonholeException if it is impossible for now
     */
    void moveAhead(CounterBehind found);
}
