package io.pigeonhole.contract;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.contract.CallersTransaction;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.StoredMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Looks into the tables as a person with psql would, with SQL of its own. */
final class PostgresFixture implements StoreFixture<JdbcContext> {
    private static final String WRITE = "INSERT INTO effect (what) VALUES (?)";
    private static final String LEDGER_HAS =
            "EXISTS (SELECT FROM inbox_ledger AS l WHERE l.consumer_id = m.consumer_id AND l.message_key = m.message_key)";

    private final DataSource dataSource;
    private final JdbcStore store;

    /** The database has the schema already. */
    PostgresFixture(DataSource dataSource) {
        this.dataSource = dataSource;
        this.store = JdbcStore.create(dataSource);
        execute("CREATE TABLE IF NOT EXISTS effect (id bigint GENERATED ALWAYS AS IDENTITY, what text NOT NULL)");
        execute("TRUNCATE effect");
        execute("CREATE TABLE IF NOT EXISTS first_horizon AS SELECT oldest FROM inbox_horizon");
        execute("UPDATE inbox_horizon SET oldest = (SELECT oldest FROM first_horizon)");
    }

    @Override
    public InboxStore<JdbcContext> store() {
        return store;
    }

    @Override
    public void write(JdbcContext context, String effect) {
        write(context.connection(), effect);
    }

    @Override
    public void defer(JdbcContext context, String effect) {
        context.defer(WRITE, effect);
    }

    @Override
    public List<String> effects() {
        return query("SELECT what FROM effect ORDER BY id", row -> row.getString(1));
    }

    @Override
    public List<StoredMessage> parked(String consumer) {
        return query(
                "SELECT m.message_key, m.message_id, m.headers, m.payload, m.attempts, NULL, " + LEDGER_HAS
                        + " FROM inbox_work AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id"
                        + " WHERE c.name = ? AND m.status = 'parked' ORDER BY m.id",
                PostgresFixture::stored,
                consumer);
    }

    @Override
    public List<StoredMessage> deadLetters(String consumer) {
        return query(
                "SELECT m.message_key, m.message_id, m.headers, m.payload, m.attempts, m.reason, m.claimed"
                        + " FROM inbox_dead_letter AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id"
                        + " WHERE c.name = ? ORDER BY m.id",
                PostgresFixture::stored,
                consumer);
    }

    @Override
    public List<StoredMessage> history(String consumer) {
        return query(
                "SELECT m.message_key, m.message_id, m.headers, m.payload, m.attempts, NULL, " + LEDGER_HAS
                        + " FROM inbox_history AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id"
                        + " WHERE c.name = ? ORDER BY m.id",
                PostgresFixture::stored,
                consumer);
    }

    private static StoredMessage stored(ResultSet row) throws SQLException {
        byte[] id = row.getBytes(2);
        byte[] headers = row.getBytes(3);
        byte[] payload = row.getBytes(4);
        String reason = row.getString(6);
        return new StoredMessage(
                MessageKey.of(row.getObject(1, UUID.class)),
                id == null ? null : MessageId.of(id),
                headers == null ? Headers.none() : headers(headers),
                payload == null ? null : HexFormat.of().formatHex(payload),
                row.getInt(5),
                reason == null ? null : DeadReason.valueOf(reason),
                row.getBoolean(7));
    }

    /** As {@code docs/tables.md} says. */
    private static Headers headers(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (in.get() != 1) {
            throw new IllegalStateException("headers of another version");
        }
        Headers headers = Headers.none();
        for (int left = in.getInt(); left > 0; left--) {
            String name = new String(take(in, in.getInt()), StandardCharsets.UTF_8);
            int length = in.getInt();
            headers = headers.with(name, length < 0 ? null : take(in, length));
        }
        return headers;
    }

    private static byte[] take(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    @Override
    public CallersTransaction begin() {
        Connection connection = open();
        return new CallersTransaction() {
            @Override
            public Ledger ledger() {
                return store.ledger(connection);
            }

            @Override
            public void write(String effect) {
                PostgresFixture.write(connection, effect);
            }

            @Override
            public void commit() {
                attempt(() -> {
                    connection.commit();
                    return true;
                });
            }

            @Override
            public void close() {
                attempt(() -> {
                    if (!connection.isClosed()) {
                        connection.rollback();
                        connection.setAutoCommit(true);
                        connection.close();
                    }
                    return true;
                });
            }
        };
    }

    private Connection open() {
        return attempt(() -> {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            return connection;
        });
    }

    @Override
    public void horizon(Instant oldest) {
        UUID key = MessageKey.firstOf(oldest.toEpochMilli()).toUuid();
        execute("UPDATE inbox_horizon SET oldest = '" + key + "'");
    }

    @Override
    public Instant beyondTheLedger() {
        UUID newest = query("SELECT newest FROM inbox_horizon", row -> row.getObject(1, UUID.class))
                .get(0);
        return Instant.ofEpochMilli(MessageKey.of(newest).epochMillis());
    }

    @Override
    public void close() {}

    private void execute(String sql) {
        attempt(() -> {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private static void write(Connection connection, String effect) {
        attempt(() -> {
            try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                statement.setString(1, effect);
                return statement.executeUpdate();
            }
        });
    }

    private <R> List<R> query(String sql, Reader<R> reader, @Nullable String... parameters) {
        return attempt(() -> {
            List<R> rows = new ArrayList<>();
            try (Connection connection = dataSource.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        rows.add(reader.read(row));
                    }
                }
            }
            return rows;
        });
    }

    private static <R> R attempt(Work<R> work) {
        try {
            return work.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Reader<R> {
        R read(ResultSet row) throws SQLException;
    }

    private interface Work<R> {
        R run() throws SQLException;
    }
}
