package io.pigeonhole.crash;

import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A durable server of its own, with a table of effects that has no unique constraint. */
final class Database implements AutoCloseable {
    private static final String NAME = "crash";
    private static final String WRITE = "INSERT INTO effect (run, message) VALUES (?, ?)";

    private final EmbeddedPostgres server;

    Database() {
        server = EmbeddedPostgres.start(directory().resolve("postgres"));
        server.createDatabase(NAME);
        Schema.apply(dataSource());
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (run text NOT NULL, message text NOT NULL,"
                    + " place bigint GENERATED ALWAYS AS IDENTITY)");
            statement.execute(
                    "CREATE TABLE foreign_call (run text NOT NULL, message text NOT NULL, key text NOT NULL)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static Path directory() {
        return Path.of(System.getProperty("pigeonhole.target", "target"));
    }

    String url() {
        return server.url(NAME);
    }

    DataSource dataSource() {
        return server.dataSource(NAME);
    }

    /** Half of the effects are written at once, half are deferred. */
    static void write(JdbcContext context, String run) {
        String message = Story.id(context.message());
        if (message.hashCode() % 2 == 0) {
            context.defer(WRITE, run, message);
            return;
        }
        try (PreparedStatement statement = context.connection().prepareStatement(WRITE)) {
            statement.setString(1, run);
            statement.setString(2, message);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<String> effects(String run) {
        return effects(dataSource(), run);
    }

    /** For a process that has only the URL. */
    static List<String> effects(DataSource dataSource, String run) {
        return ids(dataSource, "SELECT message FROM effect WHERE run = ? ORDER BY place", run);
    }

    List<String> parked(String run) {
        return ids(
                dataSource(),
                "SELECT convert_from(message_id, 'UTF8') FROM inbox_work JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ? AND status = 'parked'",
                run);
    }

    /** Whatever is still in work, parked or not. */
    List<String> unfinished(String run) {
        return ids(
                dataSource(),
                "SELECT convert_from(message_id, 'UTF8') FROM inbox_work JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ?",
                run);
    }

    int failedAttempts(String run) {
        return ids(
                        dataSource(),
                        "SELECT message_key FROM inbox_attempt JOIN inbox_consumer AS c ON c.id = consumer_id"
                                + " WHERE c.name = ?",
                        run)
                .size();
    }

    /** How many messages people have changed, as far as it is on record. */
    int audited(String run) {
        return Integer.parseInt(
                ids(dataSource(), "SELECT coalesce(sum(affected), 0)::text FROM inbox_audit WHERE consumer = ?", run)
                        .get(0));
    }

    /** The foreign system, which forgets nothing: it commits each call by itself. */
    static void call(DataSource dataSource, String run, String message, String key) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("INSERT INTO foreign_call (run, message, key) VALUES (?, ?, ?)")) {
            statement.setString(1, run);
            statement.setString(2, message);
            statement.setString(3, key);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How many different keys the foreign system was given for each message. */
    List<Integer> foreignKeysPerMessage(String run) {
        return ids(
                        dataSource(),
                        "SELECT count(DISTINCT key)::text FROM foreign_call WHERE run = ? GROUP BY message",
                        run)
                .stream()
                .map(Integer::parseInt)
                .toList();
    }

    List<String> dead(String run) {
        return ids(
                dataSource(),
                "SELECT convert_from(message_id, 'UTF8') FROM inbox_dead_letter JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ?",
                run);
    }

    private static List<String> ids(DataSource dataSource, String sql, String run) {
        List<String> ids = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, run);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getString(1));
                }
            }
            return ids;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
