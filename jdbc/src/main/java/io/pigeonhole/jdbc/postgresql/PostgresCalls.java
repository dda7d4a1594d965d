package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Prepares PostgreSQL's statements in a transaction with handlers. Used by one thread.
 *
 * @param connection the transaction's
 * @param texts of the statements
 * @param values as the database has them
 */
record PostgresCalls(Connection connection, PostgresTexts texts, Values values) {
    /** The setting of a limit answers too, and that of the planner. */
    private static final int ANSWERS_BEFORE_SEARCH = 1;

    static PostgresCalls of(Connection connection, PostgresTexts texts) {
        return new PostgresCalls(connection, texts, new PostgresValues(connection));
    }

    /** A statement to be bound and closed. */
    Call call(StatementName statement) throws SQLException {
        return call(texts.of(statement));
    }

    Call call(Sql.Text text) throws SQLException {
        return Call.of(connection, text, values);
    }

    /** A statement that says first that it is to be planned each time. */
    Call planned(StatementName statement) throws SQLException {
        return Call.behind(ANSWERS_BEFORE_SEARCH, connection, texts.of(statement), values);
    }

    /** A search that has a limit of its own, which is set in the same round trip. */
    Call search(StatementName statement) throws SQLException {
        return Call.behind(ANSWERS_BEFORE_SEARCH, connection, texts.search(statement), values);
    }
}
