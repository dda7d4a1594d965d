package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;

/**
 * A short transaction in which people look at rows or change them. Used by one thread.
 *
 * @param connection the transaction's
 * @param statements of the database
 * @param values as the database has them
 * @param operations what databases do in ways of their own
 */
record AdminSession(Connection connection, Statements statements, Values values, AdminOperations operations)
        implements ReplayCalls {
    /** A statement to be bound and closed. */
    Call call(StatementName statement) throws SQLException {
        return call(statement, 1);
    }

    /** The same where its lists have so many elements. */
    Call call(StatementName statement, int elements) throws SQLException {
        return Call.of(connection, statements.get(statement).text(elements), values);
    }

    /** A text of which one has made another with the same parameters. */
    Call call(Sql.Text text) throws SQLException {
        return Call.of(connection, text, values);
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(values);
    }

    /** By the database's clock. */
    Instant now() throws SQLException {
        return values.now();
    }

    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        return call(statement);
    }
}
