package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * Those beside handlers, on a database that does one thing in a statement.
 *
 * @param session the transaction, once it has begun
 */
record PlainReplayCalls(Supplier<PlainSession> session) implements ReplayCalls {
    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        return session.get().call(statement);
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(new PlainValues(session.get()));
    }
}
