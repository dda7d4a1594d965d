package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.jdbc.JdbcContext;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The consumers of this suite, for suites that compare others with them. */
public final class MessageSinks {
    private MessageSinks() {}

    /** The floor: no inbox, one transaction for each batch, two statements for each delivery. */
    public static MessageSink atLeastOnce(DataSource dataSource) {
        return new AtLeastOnce(dataSource);
    }

    /** The floor with JDBC batches: each of the two statements once for all deliveries, with {@code executeBatch}. */
    public static MessageSink atLeastOnceDeferred(DataSource dataSource) {
        return new AtLeastOnceDeferred(dataSource);
    }

    /** The inbox that one writes by hand after reading about the pattern: one transaction for each message. */
    public static MessageSink seedLoop(DatabaseServer server) {
        return new SeedLoop(server.dataSource(), FloorStatements.of(server.product()));
    }

    /** Pigeonhole with the business logic of the floor, on the connection that the handler is given. */
    public static MessageSink pigeonhole(String consumer, InboxStore<JdbcContext> store) {
        return ExactlyOnce.direct(consumer, store);
    }

    /** Pigeonhole with the same two statements as deferred writes. */
    public static MessageSink pigeonholeDeferred(String consumer, InboxStore<JdbcContext> store) {
        return ExactlyOnce.deferred(consumer, store);
    }

    /** The same, where each message also appends one to an outbox. */
    public static MessageSink pigeonholeAppending(
            String consumer, InboxStore<JdbcContext> store, OutboxMessage toSend) {
        return ExactlyOnce.appending(consumer, store, toSend);
    }

    /** The business logic of the floor for one message, on a connection whose transaction the caller commits. */
    public static void apply(Message message, Connection connection) throws SQLException {
        AtLeastOnce.apply(Payment.of(message), connection);
    }
}
