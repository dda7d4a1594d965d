package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The rows of {@code inbox_history}. */
final class HistoryRows {
    private HistoryRows() {}

    static void record(PostgresCalls calls, RegisteredConsumer consumer, List<FinishedMessage> messages)
            throws SQLException {
        String sql = calls.texts().sql(PostgresLedgerStatement.RECORD);
        try (PreparedStatement statement = calls.connection().prepareStatement(sql)) {
            try {
                for (FinishedMessage finished : messages) {
                    int next = MessageColumns.bind(
                            statement, 1, consumer, finished.key(), finished.message(), finished.withPayload());
                    statement.setBoolean(next++, finished.withPayload());
                    statement.setInt(next, finished.attempts());
                    statement.addBatch();
                }
                statement.executeBatch();
            } catch (Throwable e) {
                Call.clearBatch(statement);
                throw e;
            }
        }
    }
}
