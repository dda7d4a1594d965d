package io.pigeonhole.peers.outbox;

import io.pigeonhole.jdbc.JdbcTransactions;
import io.pigeonhole.jdbc.JoinedTransaction;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.transaction.DataSourceTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Transactions of the program that are bound to its threads, as a framework's are; those of the engine are bound to nothing. */
final class ThreadTransactions implements JdbcTransactions {
    private final DataSource dataSource;
    private final DataSourceTransactions own;
    // One for each data source, as frameworks have it.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable Bound> current = new ThreadLocal<>();

    ThreadTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
        this.own = new DataSourceTransactions(dataSource::getConnection);
    }

    /** What is done in a transaction. */
    interface Work {
        void in(Connection connection) throws SQLException;
    }

    /** Does something in a transaction and commits. */
    void run(Work work) throws SQLException {
        Bound bound;
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            bound = new Bound(connection, new ArrayList<>());
            current.set(bound);
            try {
                work.in(connection);
                connection.commit();
            } finally {
                current.remove();
            }
        }
        bound.afterCommit().forEach(Runnable::run);
    }

    @Override
    public OwnTransaction begin() throws SQLException {
        return own.begin();
    }

    @Override
    public Optional<JoinedTransaction> current() {
        return Optional.ofNullable(current.get());
    }

    private record Bound(Connection connection, List<Runnable> afterCommit) implements JoinedTransaction {
        @Override
        public void afterCommit(Runnable action) {
            afterCommit.add(action);
        }
    }
}
