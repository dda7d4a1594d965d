package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.core.message.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's transactions with their defaults, for the peers that take part in them, and the business logic in them. */
final class SpringTransactions {
    private final DataSource dataSource;
    private final TransactionTemplate template;

    SpringTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
        this.template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
    }

    DataSource dataSource() {
        return dataSource;
    }

    TransactionTemplate template() {
        return template;
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(dataSource);
    }

    void inTransaction(Runnable work) {
        template.executeWithoutResult(status -> work.run());
    }

    /** The business logic of the floor, on the connection of the transaction that runs. */
    void apply(Message message) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            MessageSinks.apply(message, connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Executes definitions. */
    void execute(List<String> definitions) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : definitions) {
                statement.execute(sql);
            }
        }
    }
}
