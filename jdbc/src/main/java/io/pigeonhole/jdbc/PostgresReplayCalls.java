package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Those beside handlers, on PostgreSQL. A search has a limit of its own, which is set in the same round trip.
 *
 * @param connection the transaction's
 * @param statements of the database
 */
record PostgresReplayCalls(Connection connection, Statements statements) implements ReplayCalls {
    /** The setting of the limit answers too. */
    private static final int ANSWERS_BEFORE = 1;

    @Override
    public Call replay(ReplayStatement statement) throws SQLException {
        Sql.Text text = statements.get(statement).text(1);
        Values values = new PostgresValues(connection);
        return switch (statement) {
            case SIZES, READ ->
                Call.behind(
                        ANSWERS_BEFORE,
                        connection,
                        text.as(PostgresStatements.withoutHandlersLimit(text.sql())),
                        values);
            default -> Call.of(connection, text, values);
        };
    }

    @Override
    public AdminRows rows() {
        return new AdminRows(new PostgresValues(connection));
    }
}
