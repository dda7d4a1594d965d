package io.pigeonhole.jdbc;

import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * Those beside handlers, on a database that does one thing in a statement.
 *
 * @param session the transaction, once it has begun
 * @param statements of the database
 */
record PlainReplayCalls(Supplier<PlainSession> session, Statements statements) implements ReplayCalls {
    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        PlainSession begun = session.get();
        return Call.of(begun.connection(), statements.get(statement).text(1), new PlainValues(begun));
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(new PlainValues(session.get()));
    }
}
