package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.jdbc.sql.HeaderFormat;
import io.pigeonhole.testkit.contract.CallersTransaction;
import io.pigeonhole.testkit.contract.StoredMessage;
import io.pigeonhole.testkit.contract.TransactionsFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A schema that tests share, one after the other, on a pool or in a framework whose transactions are bound to threads. */
final class JdbcStoreFixture implements TransactionsFixture<JdbcContext> {
    /** No row can be written with it. */
    private static final String BROKEN = "INSERT INTO effect (text) SELECT 1 / (COUNT(*) - COUNT(*)) FROM effect";

    private static final String INSERT = "INSERT INTO effect (text) VALUES (?)";

    private final JdbcStore store;
    private final DataSource pool;
    private final Workshop workshop;
    private final DatabaseServer.MovableClock clock;
    private final MessageKey oldest;
    private final Runnable whenClosed;
    private final @Nullable ThreadBoundTransactions framework;

    JdbcStoreFixture(
            JdbcStore store, DataSource pool, Workshop workshop, DatabaseServer.MovableClock clock, MessageKey oldest) {
        this(store, pool, workshop, clock, oldest, null, () -> {});
    }

    JdbcStoreFixture(
            JdbcStore store,
            DataSource pool,
            Workshop workshop,
            DatabaseServer.MovableClock clock,
            MessageKey oldest,
            @Nullable ThreadBoundTransactions framework,
            Runnable whenClosed) {
        this.whenClosed = whenClosed;
        this.framework = framework;
        this.store = store;
        this.pool = pool;
        this.workshop = workshop;
        this.clock = clock;
        this.oldest = oldest;
        workshop.execute("DELETE FROM effect");
    }

    @Override
    public InboxStore<JdbcContext> store() {
        return store;
    }

    @Override
    public AdminStore adminStore() {
        return store.adminStore();
    }

    @Override
    public void write(JdbcContext context, String effect) {
        write(framework == null ? context.connection() : framework.bound().connection(), effect);
    }

    private static void write(Connection connection, String effect) {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, effect);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void defer(JdbcContext context, String effect) {
        if (framework == null) {
            context.deferExpecting(1, INSERT, effect);
        } else {
            framework.bound().hold(INSERT, effect);
        }
    }

    @Override
    public void deferByContext(JdbcContext context, String effect) {
        context.deferExpecting(1, INSERT, effect);
    }

    @Override
    public void undo(JdbcContext context, Runnable undone) {
        try {
            Savepoint before = context.connection().setSavepoint();
            undone.run();
            context.connection().rollback(before);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void deferBroken(JdbcContext context) {
        if (framework == null) {
            context.defer(BROKEN);
        } else {
            framework.bound().hold(BROKEN);
        }
    }

    @Override
    public void allowOnlyRollback(JdbcContext context) {
        if (framework != null) {
            framework.bound().setRollbackOnly();
            return;
        }
        // PostgreSQL commits nothing behind an error.
        try (Statement statement = context.connection().createStatement()) {
            assertThatThrownBy(() -> statement.execute(BROKEN)).isInstanceOf(SQLException.class);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void failBehindCommit() {
        Objects.requireNonNull(framework)
                .bound()
                .failBehindCommit(new IllegalStateException("of a callback", new SQLException("of its own", "23505")));
    }

    @Override
    public boolean bindsThreads() {
        return framework != null;
    }

    @Override
    public void afterCommit(Runnable action) {
        Objects.requireNonNull(framework).bound().afterCommit(action);
    }

    @Override
    public Ledger joinedLedger() {
        return store.ledger();
    }

    @Override
    public Outbox joinedOutbox() {
        return store.outbox();
    }

    @Override
    public void behindCommit(Runnable callback) {
        Objects.requireNonNull(framework).bound().behindCommit(callback);
    }

    @Override
    public void deferJoined(String effect) {
        store.join().deferExpecting(1, INSERT, effect);
    }

    @Override
    public int effectsInTransaction() {
        try (Statement statement =
                        Objects.requireNonNull(framework).bound().connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM effect")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public List<String> effects() {
        return workshop.askAll("SELECT text FROM effect ORDER BY place");
    }

    @Override
    public List<StoredMessage> parked(String consumer) {
        return stored(consumer, """
                SELECT m.*, true AS claimed, NULL AS reason, true AS with_payload
                FROM inbox_work AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id
                WHERE c.name = ? AND m.status = 'parked' AND m.due_at > %s ORDER BY m.id""".formatted(workshop.server().now()));
    }

    @Override
    public List<StoredMessage> deadLetters(String consumer) {
        return stored(consumer, """
                SELECT m.*, true AS with_payload
                FROM inbox_dead_letter AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id WHERE c.name = ?""");
    }

    @Override
    public List<StoredMessage> history(String consumer) {
        return stored(consumer, """
                SELECT m.*, true AS claimed, NULL AS reason
                FROM inbox_history AS m JOIN inbox_consumer AS c ON c.id = m.consumer_id WHERE c.name = ?""");
    }

    private List<StoredMessage> stored(String consumer, String sql) {
        try (Connection connection = workshop.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, consumer);
            try (ResultSet rows = statement.executeQuery()) {
                List<StoredMessage> messages = new ArrayList<>();
                while (rows.next()) {
                    messages.add(stored(rows));
                }
                return messages;
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private StoredMessage stored(ResultSet row) throws SQLException {
        byte[] id = row.getBytes("message_id");
        byte[] headers = row.getBytes("headers");
        String reason = row.getString("reason");
        return new StoredMessage(
                workshop.server().readKey(row, "message_key"),
                id == null ? null : MessageId.of(id),
                headers == null ? Headers.none() : HeaderFormat.read(headers),
                hex(row.getBytes("payload")),
                row.getInt("attempts"),
                reason == null ? null : DeadReason.valueOf(reason),
                row.getBoolean("claimed"));
    }

    private static @Nullable String hex(byte @Nullable [] bytes) {
        return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }

    @Override
    public CallersTransaction begin() {
        try {
            Connection connection = pool.getConnection();
            connection.setAutoCommit(false);
            connection.setReadOnly(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return new UnboundTransaction(store.ledger(connection), connection);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public CallersTransaction beginBound() {
        try {
            return bound(Objects.requireNonNull(framework).begin());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Its isolation and its access are set as those of the engine's own transactions are put back. */
    private CallersTransaction bound(ThreadBoundTransactions.Bound bound) throws SQLException {
        Connection connection = bound.connection();
        boolean readOnly = connection.isReadOnly();
        int level = connection.getTransactionIsolation();
        bound.beforeRelease(autoCommit -> {
            connection.setReadOnly(readOnly);
            connection.setTransactionIsolation(level);
        });
        connection.setReadOnly(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return new BoundTransaction(store.ledger(connection), bound);
    }

    @Override
    public void ledgerBounds(Instant oldest) {
        setOldest(MessageKey.firstOf(oldest.toEpochMilli()));
    }

    private void setOldest(MessageKey key) {
        workshop.execute(
                "UPDATE inbox_ledger_bounds SET oldest = ?", workshop.server().parameter(key));
        // What it knows of the days counts for a minute, in which no retention run moves the ledger's bounds into the
        // present
        // day.
        store.maintain();
    }

    @Override
    public Instant beyondTheLedger() {
        return Instant.ofEpochMilli(
                workshop.askKey("SELECT newest FROM inbox_ledger_bounds").epochMillis());
    }

    @Override
    public void advance(Duration duration) {
        clock.advance(duration);
    }

    @Override
    public boolean endsIdleTransactions() {
        return workshop.server().endsIdleTransactions();
    }

    @Override
    public void pause(String consumer, boolean paused) {
        workshop.execute("UPDATE inbox_consumer SET paused = ? WHERE name = ?", paused, consumer);
    }

    @Override
    public int seenAgain(String consumer, MessageKey key) {
        return Integer.parseInt(workshop.ask(
                "SELECT d.seen_again FROM inbox_dead_letter AS d JOIN inbox_consumer AS c ON c.id = d.consumer_id"
                        + " WHERE c.name = ? AND d.message_key = ?",
                consumer,
                workshop.server().parameter(key)));
    }

    @Override
    public List<String> attempts(String consumer, MessageKey key) {
        return workshop.askAll(
                "SELECT concat(a.number, ': ', a.error_class, ': ', a.message) FROM inbox_attempt AS a"
                        + " JOIN inbox_consumer AS c ON c.id = a.consumer_id"
                        + " WHERE c.name = ? AND a.message_key = ? ORDER BY a.id",
                consumer,
                workshop.server().parameter(key));
    }

    @Override
    public void close() {
        setOldest(oldest);
        clock.reset();
        whenClosed.run();
    }

    private record BoundTransaction(Ledger ledger, ThreadBoundTransactions.Bound bound) implements CallersTransaction {
        @Override
        public void write(String effect) {
            JdbcStoreFixture.write(bound.connection(), effect);
        }

        @Override
        public void commit() {
            try {
                bound.commit();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            bound.close();
        }
    }

    private record UnboundTransaction(Ledger ledger, Connection connection) implements CallersTransaction {
        @Override
        public void write(String effect) {
            JdbcStoreFixture.write(connection, effect);
        }

        @Override
        public void commit() {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            try (connection) {
                connection.rollback();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }
}
