package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import java.sql.SQLException;

/**
 * Those beside handlers, on PostgreSQL. A search has a limit of its own.
 *
 * @param calls the transaction's
 */
record PostgresReplayCalls(PostgresCalls calls) implements ReplayCalls {
    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        return switch (statement) {
            case SIZES, READ -> calls.search(statement);
            default -> calls.call(statement);
        };
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(calls.values());
    }
}
