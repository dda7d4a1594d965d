package io.pigeonhole.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.embedded.EmbeddedMariaDb;
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
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A database on a durable server, with a table of effects that has no unique constraint. */
final class Database implements AutoCloseable {
    private static final String NAME = "crash";
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String WRITE = "INSERT INTO effect (run, message) VALUES (?, ?)";

    private final AutoCloseable server;
    private final String url;
    private final HikariDataSource pool;

    /** Stopped when the JVM ends. */
    private static final class SharedPostgres {
        static final EmbeddedPostgres SERVER =
                EmbeddedPostgres.start(directory().resolve("postgres"));
    }

    private Database(AutoCloseable server, String url, String... tables) {
        this.server = server;
        this.url = url;
        this.pool = dataSource(url);
        Schema.apply(dataSource());
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                statement.execute(table);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** On a server that the tests of this JVM share. */
    static Database onPostgres() {
        EmbeddedPostgres server = SharedPostgres.SERVER;
        String name = NAME + "_" + NUMBER.incrementAndGet();
        server.createDatabase(name);
        return new Database(() -> {}, server.url(name), """
                CREATE TABLE effect (run text NOT NULL, message text NOT NULL,
                    place bigint GENERATED ALWAYS AS IDENTITY)""", """
                CREATE TABLE foreign_call (run text NOT NULL, message text NOT NULL, idempotency_key text NOT NULL,
                    place bigint GENERATED ALWAYS AS IDENTITY)""");
    }

    /** An effect's place is its own, as the key of a table must be; nothing else keeps effects apart. */
    static Database onMariaDb() {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(directory().resolve("mariadb"));
        server.createDatabase(NAME);
        return new Database(server, server.url(NAME), """
                CREATE TABLE effect (run varchar(200) NOT NULL, message varchar(200) NOT NULL,
                    place bigint NOT NULL AUTO_INCREMENT PRIMARY KEY) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin""", """
                CREATE TABLE foreign_call (run varchar(200) NOT NULL, message varchar(200) NOT NULL,
                    idempotency_key varchar(200) NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin""");
    }

    static Path directory() {
        return Path.of(System.getProperty("pigeonhole.target", "target"));
    }

    String url() {
        return url;
    }

    DataSource dataSource() {
        return pool;
    }

    /** For a process that has only the URL. A connection costs a server process more than a story does. */
    static HikariDataSource dataSource(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMinimumIdle(1);
        config.setMaximumPoolSize(40);
        return new HikariDataSource(config);
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
        return texts(dataSource, "SELECT message FROM effect WHERE run = ? ORDER BY place", run);
    }

    /** For whoever has no transaction. */
    static void effect(DataSource dataSource, String run, String message) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.setString(1, run);
            statement.setString(2, message);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<String> parked(String run) {
        return ids(
                dataSource(),
                "SELECT message_id FROM inbox_work JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ? AND status = 'parked'",
                run);
    }

    /** Whatever is still in work, parked or not. */
    List<String> unfinished(String run) {
        return ids(
                dataSource(),
                "SELECT message_id FROM inbox_work JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ?",
                run);
    }

    int failedAttempts(String run) {
        return texts(
                        dataSource(),
                        "SELECT number FROM inbox_attempt JOIN inbox_consumer AS c ON c.id = consumer_id"
                                + " WHERE c.name = ?",
                        run)
                .size();
    }

    /** How many messages people have changed, as far as it is on record. */
    int audited(String run) {
        return Integer.parseInt(
                texts(dataSource(), "SELECT coalesce(sum(affected), 0) FROM inbox_audit WHERE consumer = ?", run)
                        .get(0));
    }

    /** The foreign system, which forgets nothing: it commits each call by itself. */
    static void call(DataSource dataSource, String run, String message, String key) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "INSERT INTO foreign_call (run, message, idempotency_key) VALUES (?, ?, ?)")) {
            statement.setString(1, run);
            statement.setString(2, message);
            statement.setString(3, key);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a broker was given, in order. */
    List<String> published(String run) {
        return texts(dataSource(), "SELECT message FROM foreign_call WHERE run = ? ORDER BY place", run);
    }

    /** How many different keys the foreign system was given for each message. */
    List<Integer> foreignKeysPerMessage(String run) {
        return texts(
                        dataSource(),
                        "SELECT count(DISTINCT idempotency_key) FROM foreign_call WHERE run = ? GROUP BY message",
                        run)
                .stream()
                .map(Integer::parseInt)
                .toList();
    }

    List<String> dead(String run) {
        return ids(
                dataSource(),
                "SELECT message_id FROM inbox_dead_letter JOIN inbox_consumer AS c"
                        + " ON c.id = consumer_id WHERE c.name = ?",
                run);
    }

    /** Ids are stored as bytes. */
    private static List<String> ids(DataSource dataSource, String sql, String run) {
        return all(dataSource, sql, run, row -> new String(row.getBytes(1), UTF_8));
    }

    private static List<String> texts(DataSource dataSource, String sql, String run) {
        return all(dataSource, sql, run, row -> row.getString(1));
    }

    /** Reads the row that an answer is at. */
    private interface Reader {
        String read(ResultSet row) throws SQLException;
    }

    private static List<String> all(DataSource dataSource, String sql, String run, Reader reader) {
        List<String> all = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, run);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    all.add(reader.read(row));
                }
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        pool.close();
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException("the server was not stopped", e);
        }
    }
}
