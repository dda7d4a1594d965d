package io.pigeonhole.jdbc.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary tables and cursors that handlers make. They last as long as the transaction, which is that of many messages: the next
 * handler would meet what the one before has left. So they end with their handler. Used by one thread at a time.
 */
final class MadeForTransaction {
    private static final Logger log = LoggerFactory.getLogger(MadeForTransaction.class);

    /** The temporary tables that the session had before, as an array in text. */
    private @Nullable String before;

    private boolean made;

    /** The handler is about to make something. */
    void begin(Connection connection, PostgresTexts texts) throws SQLException {
        made = true;
        if (before == null) {
            before = ask(connection, texts.sql(PostgresTransactionStatement.TEMPORARY_TABLES))
                    .get(0);
        }
    }

    /**
     * The handler has ended. Where the transaction is broken, or the handler's login may not drop its table any more, this fails, and the
     * transaction is broken then: what goes on with it finds that out.
     */
    void end(Connection connection, PostgresTexts texts) {
        if (!made) {
            return;
        }
        made = false;
        try {
            List<String> tables = ask(
                    connection,
                    texts.sql(PostgresTransactionStatement.NEW_TEMPORARY_TABLES).formatted(before));
            if (!tables.isEmpty()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("DROP TABLE IF EXISTS " + String.join(", ", tables) + " CASCADE");
                }
            }
        } catch (SQLException e) {
            log.debug("what a handler has made for its transaction could not be taken away", e);
        }
    }

    /** The answers of the last statement. */
    private static List<String> ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean isResult = statement.execute(sql);
            while (!isResult) {
                isResult = statement.getMoreResults();
            }
            List<String> answers = new ArrayList<>();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    answers.add(rows.getString(1));
                }
            }
            return answers;
        }
    }
}
