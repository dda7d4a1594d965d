package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A running server on which tests take schemas of their own, whatever the product. */
public interface DatabaseServer {
    /** Creates an empty schema, after it dropped one of the same name. */
    void create(String schema);

    void drop(String schema);

    /** The URL whose connections have the schema as their current one. */
    String url(String schema);

    /** Whether a session is kept for what tests ask. */
    default boolean keepsSessions() {
        return true;
    }

    /** The URL for a session that is kept: it answers by tables as they are now, however often they have changed since. */
    default String keptUrl(String schema) {
        return url(schema);
    }

    /** Opens a new connection for every call. */
    DataSource dataSource(String url);

    /** The clock of a schema, which tests can move. Called once for each schema. */
    MovableClock clock(Workshop workshop);

    /** The database's clock in SQL. */
    String now();

    /** Creates a table of effects, which nothing keeps unique. */
    String createEffects();

    Object parameter(MessageKey key);

    /** Whether the server ends a transaction that is idle for too long. */
    default boolean endsIdleTransactions() {
        return true;
    }

    MessageKey readKey(ResultSet row, String column) throws SQLException;

    /** A new schema without tables, dropped when it is closed. */
    default Workshop emptySchema() {
        return new Workshop(this, "s" + Schemas.NUMBER.incrementAndGet());
    }

    /** A new schema with the inbox and a table of effects, dropped when it is closed. */
    default Workshop schema() {
        Workshop workshop = emptySchema();
        Schema.apply(workshop.dataSource());
        workshop.execute(createEffects());
        return workshop;
    }

    /** A schema with the inbox that all tests of this JVM share; each works with consumers and rows of its own. */
    default Workshop sharedSchema() {
        return Schemas.SHARED.computeIfAbsent(this, DatabaseServer::schema);
    }

    static void execute(DataSource dataSource, String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Where a product has to answer: CI names the machine's own servers among what it tests. */
    static boolean isCi() {
        return Boolean.parseBoolean(System.getenv("CI"));
    }

    /** Whether everything is to be tested, and not a chosen part: {@code mvn verify -Pfull}. */
    static boolean isFull() {
        return "full".equals(System.getProperty("pigeonhole.matrix"));
    }

    /** A clock of the tests' own: the server's, moved forward. */
    interface MovableClock {
        /** Connections whose clock it is. */
        DataSource dataSource();

        void advance(Duration duration);

        void reset();
    }

    /** The schemas of this JVM. */
    final class Schemas {
        private static final Map<DatabaseServer, Workshop> SHARED = new ConcurrentHashMap<>();
        private static final AtomicInteger NUMBER = new AtomicInteger();

        private Schemas() {}
    }
}
