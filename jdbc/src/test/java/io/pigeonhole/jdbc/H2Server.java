package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/**
 * H2 in this JVM, each schema a durable file database of its own below {@code target/}, whose sessions are of a place that is
 * never at UTC.
 */
public final class H2Server implements DatabaseServer {
    public static final H2Server FILES = new H2Server();

    private static final String CLOCK = "CURRENT_TIMESTAMP";

    private final Path directory = Path.of(
                    System.getProperty("pigeonhole.target", "target"),
                    "h2",
                    "" + ProcessHandle.current().pid())
            .toAbsolutePath();

    private H2Server() {}

    @Override
    public void create(String schema) {
        try {
            Files.deleteIfExists(file(schema));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path file(String schema) {
        return directory.resolve(schema + ".mv.db");
    }

    @Override
    public void drop(String schema) {
        try {
            DatabaseServer.execute(dataSource(url(schema)), "SHUTDOWN IMMEDIATELY");
            Files.deleteIfExists(file(schema));
        } catch (SQLException e) {
            throw new AssertionError(schema, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String url(String schema) {
        return "jdbc:h2:async:" + directory.resolve(schema)
                + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1;TIME ZONE=Asia/Kathmandu";
    }

    @Override
    public DataSource dataSource(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        dataSource.setUser("sa");
        return dataSource;
    }

    @Override
    public MovableClock clock(Workshop workshop) {
        return new ShiftedClock(workshop.dataSource(), CLOCK, "DATEADD(MICROSECOND, %d, " + CLOCK + ")");
    }

    @Override
    public String now() {
        return "DATEADD(MICROSECOND, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT),"
                + " TIMESTAMP '1970-01-01 00:00:00')";
    }

    @Override
    public String createEffects() {
        return "CREATE TABLE effect (place bigint GENERATED ALWAYS AS IDENTITY, text varchar)";
    }

    /** Here a session begins at once, and one that is kept holds the file. */
    @Override
    public boolean keepsSessions() {
        return false;
    }

    @Override
    public boolean endsIdleTransactions() {
        return false;
    }

    @Override
    public Object parameter(MessageKey key) {
        return MariaDbServer.bytes(key);
    }

    @Override
    public MessageKey readKey(ResultSet row, String column) throws SQLException {
        return MariaDbServer.key(row.getBytes(column));
    }

    @Override
    public String toString() {
        return "H2";
    }
}
