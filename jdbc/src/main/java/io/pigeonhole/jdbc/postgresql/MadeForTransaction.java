package io.pigeonhole.jdbc.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The temporary tables and cursors that handlers make. They last as long as the transaction, which is that of many messages: the next
 * handler would meet what the one before has left. So they end with their handler. Used by one thread at a time.
 */
final class MadeForTransaction {
    /** What the session had before, as an array in text. */
    private @Nullable String before;

    private boolean made;

    /** The handler is about to make something. */
    void begin(Connection connection, PostgresTexts texts) throws SQLException {
        made = true;
        if (before == null) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(texts.sql(PostgresTransactionStatement.TEMPORARY_TABLES))) {
                row.next();
                before = row.getString(1);
            }
        }
    }

    /**
     * The handler has ended.
     *
     * @param restore puts back whose role the session has, where the handler's may not take away what there is
     */
    void end(Connection connection, PostgresTexts texts, Runnable restore) throws SQLException {
        if (!made) {
            return;
        }
        made = false;
        List<String> drops = new ArrayList<>();
        boolean allowed = true;
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    texts.sql(PostgresTransactionStatement.NEW_TEMPORARY_TABLES).formatted(before));
            statement.getMoreResults();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    drops.add(rows.getString(1));
                    allowed &= rows.getBoolean(2);
                }
            }
        }
        if (drops.isEmpty()) {
            return;
        }
        if (!allowed) {
            restore.run();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(String.join(";\n", drops));
        }
    }
}
