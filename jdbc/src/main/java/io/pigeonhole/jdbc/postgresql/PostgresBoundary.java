package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.sql.StoreSchema;
import io.pigeonhole.jdbc.sql.TransactionBoundary;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The boundary of a short transaction on PostgreSQL: all settings are for the transaction and go to the server as one text.
 *
 * @param connection the transaction's
 * @param statements of the database
 * @param days that the ledger is known to have
 */
public record PostgresBoundary(Connection connection, Statements statements, KnownDays days)
        implements TransactionBoundary {
    public static ShortTransactions transactions(ConnectionSource connections, Statements statements, KnownDays days) {
        return new ShortTransactions(
                connections,
                statements,
                SqlStates.ERRORS,
                connection -> new PostgresBoundary(connection, statements, days));
    }

    /** For what is done before there is a store. */
    public static ShortTransactions transactions(ConnectionSource connections) {
        return transactions(connections, new Statements(PostgresDatabase.STATEMENTS), new KnownDays(System::nanoTime));
    }

    @Override
    public AdminSession begin(boolean atOneMoment) throws SQLException {
        PostgresTransactionStatement begin =
                atOneMoment ? PostgresTransactionStatement.SHORT_READ : PostgresTransactionStatement.SHORT;
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements.sql(begin) + searchPath());
        } catch (SQLException e) {
            throw atOneMoment ? e : refusedToWrite(e);
        }
        return new AdminSession(
                connection,
                statements,
                new PostgresValues(connection),
                new PostgresAdminOperations(connection, statements, days));
    }

    /** A standby cannot do READ WRITE. Its state is that of a write on a standby from here on, as that of READ WRITE says too little. */
    private static SQLException refusedToWrite(SQLException e) {
        return PostgresStates.FEATURE_NOT_SUPPORTED.equals(e.getSQLState())
                ? new SQLException(
                        "the server is a standby: " + e.getMessage(), PostgresStates.READ_ONLY_SQL_TRANSACTION, e)
                : e;
    }

    /** What asks the catalog finds the store's own tables first, and what creates days does so beside them. */
    private String searchPath() {
        StoreSchema schema = StoreSchema.of(connection);
        return schema == null
                ? ""
                : ";\n"
                        + statements
                                .sql(PostgresTransactionStatement.SEARCH_PATH)
                                .formatted(schema.identifier());
    }
}
