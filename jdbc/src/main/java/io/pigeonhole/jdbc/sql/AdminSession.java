package io.pigeonhole.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * A short transaction in which people look at rows or change them. Used by one thread.
 *
 * @param connection the transaction's
 * @param statements of the database
 * @param values as the database has them
 * @param operations what databases do in ways of their own
 */
public record AdminSession(Connection connection, Statements statements, Values values, AdminOperations operations)
        implements ReplayCalls {
    /** A statement to be bound and closed. */
    public Call call(StatementName statement) throws SQLException {
        return call(statement, 1);
    }

    /** The same where its lists have so many elements. */
    public Call call(StatementName statement, int elements) throws SQLException {
        return Call.of(connection, statements.get(statement).text(elements), values);
    }

    /** A text of which one has made another with the same parameters. */
    public Call call(Sql.Text text) throws SQLException {
        return Call.of(connection, text, values);
    }

    /**
     * Locks rows by their {@code ids}, the parameters of a statement, and answers the ids of those that are locked: what somebody else
     * has locked is left out, and not waited for.
     */
    public List<Long> lock(StatementName statement, List<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        try (Call call = call(statement, ids.size())) {
            return call.numbers("ids", ids).all(row -> row.getLong(1));
        }
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(values);
    }

    /** By the database's clock. */
    public Instant now() throws SQLException {
        return values.now();
    }

    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        return call(statement);
    }
}
