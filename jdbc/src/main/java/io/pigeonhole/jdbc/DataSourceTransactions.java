package io.pigeonhole.jdbc;

import java.sql.SQLException;
import java.util.Optional;

/** Transactions on connections of a data source, bound to nothing. Safe for use by many threads. */
record DataSourceTransactions(ConnectionSource connections) implements JdbcTransactions {
    @Override
    public OwnTransaction begin() throws SQLException {
        return DataSourceTransaction.begin(Connections.open(connections));
    }

    @Override
    public Optional<JoinedTransaction> current() {
        return Optional.empty();
    }
}
