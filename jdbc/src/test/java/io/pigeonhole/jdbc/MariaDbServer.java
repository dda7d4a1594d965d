package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * A running MariaDB, or MySQL, on which each schema is a database of its own. Its character set is one that holds hardly
 * anything, and sessions are of a place that is never at UTC: nothing may depend on either.
 *
 * @param server the URL without a database, up to the slash
 * @param parameters of the URL, with their question mark
 */
public record MariaDbServer(String name, String server, String parameters) implements DatabaseServer {
    /** What the names of its databases begin with, so that they can be removed. */
    static final String PREFIX = "pigeonhole_it_" + ProcessHandle.current().pid() + "_";

    private static final String CLOCK = "UTC_TIMESTAMP(6)";

    @Override
    public void create(String schema) {
        run(
                "DROP DATABASE IF EXISTS " + PREFIX + schema,
                "CREATE DATABASE " + PREFIX + schema + " CHARACTER SET ascii");
    }

    @Override
    public void drop(String schema) {
        run("DROP DATABASE " + PREFIX + schema);
    }

    /** Removes whatever tests of this JVM have left behind. */
    void dropAll() throws SQLException {
        try (var connection = dataSource(server + parameters).getConnection();
                var statement = connection.createStatement();
                var names = statement.executeQuery("SELECT schema_name FROM information_schema.schemata")) {
            while (names.next()) {
                if (names.getString(1).startsWith(PREFIX)) {
                    drop(names.getString(1).substring(PREFIX.length()));
                }
            }
        }
    }

    private void run(String... statements) {
        try {
            DatabaseServer.execute(dataSource(server + parameters), statements);
        } catch (SQLException e) {
            throw new AssertionError(statements[0], e);
        }
    }

    @Override
    public String url(String schema) {
        return server + PREFIX + schema + parameters + "&sessionVariables=time_zone='+05:45'";
    }

    @Override
    public DataSource dataSource(String url) {
        try {
            return new MariaDbDataSource(url);
        } catch (SQLException e) {
            throw new AssertionError(url, e);
        }
    }

    @Override
    public MovableClock clock(Workshop workshop) {
        return new ShiftedClock(workshop.dataSource(), CLOCK, "(" + CLOCK + " + INTERVAL %d MICROSECOND)");
    }

    @Override
    public String now() {
        return CLOCK;
    }

    @Override
    public String createEffects() {
        return """
                CREATE TABLE effect (
                    place bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
                    text text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
                )""";
    }

    @Override
    public Object parameter(MessageKey key) {
        return bytes(key);
    }

    static byte[] bytes(MessageKey key) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(key.high())
                .putLong(key.low())
                .array();
    }

    @Override
    public MessageKey readKey(ResultSet row, String column) throws SQLException {
        return key(row.getBytes(column));
    }

    static MessageKey key(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new MessageKey(buffer.getLong(), buffer.getLong());
    }

    @Override
    public String toString() {
        return name;
    }
}
