package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.jdbc.JdbcTransactions;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.Connections;
import java.sql.SQLException;
import java.util.Optional;

/** Transactions on connections of a data source, bound to nothing. Safe for use by many threads. */
public record DataSourceTransactions(ConnectionSource connections) implements JdbcTransactions {
    @Override
    public OwnTransaction begin() throws SQLException {
        return DataSourceTransaction.begin(Connections.open(connections));
    }

    @Override
    public Optional<JoinedTransaction> current() {
        return Optional.empty();
    }
}
