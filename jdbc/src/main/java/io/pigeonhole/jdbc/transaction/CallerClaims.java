package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.SQLException;

/** How one kind of database claims a key in a transaction of the caller, whose settings it leaves alone. Used by one thread. */
public interface CallerClaims {
    Claim claim(RegisteredConsumer consumer, MessageKey key) throws SQLException;

    /**
     * Before a look-up of a key.
     *
     * @throws ConfigurationException if it would see keys of transactions that may be rolled back
     */
    void requireCommittedReads() throws SQLException;

    /** What an error of a claim or a look-up means. */
    ErrorClass classify(SQLException failure);
}
