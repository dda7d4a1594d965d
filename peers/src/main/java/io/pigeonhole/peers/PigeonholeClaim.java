package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.MessageSink;
import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A claim by hand in a transaction that the program begins and commits. */
final class PigeonholeClaim implements MessageSink {
    private final DataSource dataSource;
    private final JdbcStore store;
    private final Inbox<JdbcContext> inbox;

    PigeonholeClaim(String consumer, DataSource dataSource, JdbcStore store) {
        this.dataSource = dataSource;
        this.store = store;
        this.inbox = Inbox.builder(consumer, store).build();
    }

    @Override
    public void accept(List<Message> batch) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (Message message : batch) {
                if (inbox.claim(message, store.ledger(connection))) {
                    MessageSinks.apply(message, connection);
                }
            }
            connection.commit();
        }
    }
}
