package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The ledger in a transaction of the caller, whose settings it leaves alone. */
final class PlainCallerLedger implements Ledger {
    private final Connection connection;
    private final Dialect dialect;

    PlainCallerLedger(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, MessageKey key) {
        requireTransaction();
        try {
            return PlainClaims.byHand(PlainSession.on(connection, dialect), consumer, List.of(key));
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "the claim of a key", e);
        }
    }

    @Override
    public boolean contains(RegisteredConsumer consumer, MessageKey key) {
        try (PreparedStatement statement = connection.prepareStatement(dialect.text(LedgerStatement.CONTAINS))) {
            for (int i = 1; i <= 5; i += 2) {
                statement.setShort(i, consumer.id());
                statement.setBytes(i + 1, key.toBytes());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "a look-up of a key", e);
        }
    }

    private void requireTransaction() {
        try {
            if (connection.getAutoCommit()) {
                throw new ConfigurationException("the connection commits by itself after each statement: a claim on it"
                        + " would stay when the work fails. Begin a transaction first, with setAutoCommit(false)");
            }
        } catch (SQLException e) {
            throw Refusals.of(new PlainErrors(dialect).classify(e), "to say whether it commits by itself", e);
        }
    }
}
