package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.MaintenanceWindow;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.Products;
import io.pigeonhole.jdbc.generic.PlainDatabase;
import io.pigeonhole.jdbc.idempotency.JdbcIdempotencyStore;
import io.pigeonhole.jdbc.postgresql.OptimisticInserts;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresSchema;
import io.pigeonhole.jdbc.retention.RetentionSettings;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.StoreSchema;
import io.pigeonhole.jdbc.store.Database;
import io.pigeonhole.jdbc.store.DaysOnUse;
import io.pigeonhole.jdbc.store.JdbcAdminStore;
import io.pigeonhole.jdbc.transaction.CallersConnection;
import io.pigeonhole.jdbc.transaction.DataSourceTransactions;
import io.pigeonhole.jdbc.transaction.JoinedWriter;
import io.pigeonhole.jdbc.transaction.TransactionSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inbox in a relational database over plain JDBC: PostgreSQL 13, MariaDB 10.6, MySQL 8.0 or H2 2.2.220 and later.
 * The messages' effects must lie in the same
 * database. Use a pool: every transaction takes one connection and gives it back as it was, whatever its isolation or
 * auto-commit. Safe for use by many threads.
 *
 * <p>The clock that counts is the database's. Nothing is kept in memory that a crash could lose. The tables are those of the
 * schema in which they were found when the store was created, whatever a session's current schema is later.
 *
 * <p>One long class, because it has a short method for each operation of the store, and the documented settings of its builder.
 */
public final class JdbcStore implements InboxStore<JdbcContext> {
    private static final Logger log = LoggerFactory.getLogger(JdbcStore.class);

    private final Database database;
    private final TransactionSource transactions;
    private final AdminStore adminStore;
    private final DaysOnUse days;
    private final Duration prepared;

    private JdbcStore(Database database, TransactionSource transactions, LongSupplier nanos, int daysAhead) {
        this.database = database;
        Duration ahead = Duration.ofDays(daysAhead);
        this.prepared = ahead.compareTo(database.window()) < 0 ? ahead : database.window();
        this.transactions = transactions;
        this.days = new DaysOnUse(this::maintainOnUse, nanos);
        this.adminStore = new JdbcAdminStore(database);
    }

    /**
     * A store with the standard settings. Checks the schema, and alters nothing.
     *
     * @param dataSource the database, primary and writable
     * @return the store
     * @throws io.pigeonhole.core.failure.ConfigurationException if the database is none that the inbox knows, or its
     *     schema differs from what this version needs; see {@link Schema}
     * @throws StoreUnavailableException if the database cannot be reached
     */
    public static JdbcStore create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Begins a store.
     *
     * @param dataSource the database, primary and writable
     * @return a builder with the standard settings
     */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        RegisteredConsumer registered = database.register(registration);
        days.done();
        return registered;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the calling thread is in a transaction of its own, as {@link JdbcTransactions#current} says: what
     *     is committed here would stay where that one is rolled back
     */
    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        if (transactions.transactions().current().isPresent()) {
            throw new IllegalStateException(
                    "this thread is in a transaction of its own already: what the inbox commits would stay where"
                            + " that one is rolled back, and could wait for its locks for ever. Call the inbox outside of it; or claim the"
                            + " message in it, with inbox.claim(message, store.ledger())");
        }
        days.before();
        return database.begin(idleLimit);
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        return database.classify(failure);
    }

    @Override
    public void probe() {
        database.probe();
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return consumers.isEmpty() ? List.of() : database.due(consumers);
    }

    @Override
    public Set<Integer> appendedTo(String destination) {
        return database.appendedTo(destination);
    }

    @Override
    public Runnable whenAppended(BiConsumer<String, Set<Integer>> listener) {
        return database.whenAppended(listener);
    }

    @Override
    public int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh) {
        return database.started(consumer, start, limit, fresh);
    }

    @Override
    public void ended(RegisteredConsumer consumer, Start start) {
        database.ended(consumer, start);
    }

    @Override
    public void survived(RegisteredConsumer consumer, Start start) {
        database.survived(consumer, start);
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        return database.acquire(consumer, partition, log);
    }

    @Override
    public Heartbeat heartbeat() {
        return database.heartbeat();
    }

    @Override
    public ReplayStore replays() {
        return database.replays();
    }

    @Override
    public HistoryDays historyDays() {
        return database.historyDays();
    }

    /**
     * Creates the days of ledger and history that are missing ahead, moves numbers ahead that are behind the rows, and looks at the
     * clock: each also where another fails, unless the database is away. Days are data, not schema. A store that is used while
     * nobody calls this, because there is no node, does so by itself once in an hour.
     */
    @Override
    public void maintain() {
        database.createDays();
        days.done();
        database.maintain();
    }

    /** Whether days are missing is one thing; what else cannot be done is another. */
    private void maintainOnUse() {
        database.createDays();
        try {
            database.maintain();
        } catch (RuntimeException e) {
            log.warn("the days are created, but the clock from which ages count could not be looked at", e);
        }
    }

    /** As many days as are created ahead; not longer than the window, which is confirmed as well. */
    @Override
    public Duration preparedFor() {
        return prepared;
    }

    @Override
    public Duration window() {
        return database.window();
    }

    @Override
    public Retired retire() {
        return database.retire();
    }

    @Override
    public Retired retireWithoutArchive() {
        return database.retireWithoutArchive();
    }

    @Override
    public Retired retireArchived() {
        return database.retireArchived();
    }

    /**
     * The ledger in a transaction of the caller, who also ends it: for work that is done without a handler.
     *
     * @param connection a connection to this database with auto-commit off. Its isolation should be read committed. At higher
     *     levels PostgreSQL may answer a claim with a serialization failure, H2 refuses it; at read uncommitted MariaDB refuses
     *     look-ups, H2 both
     * @return the ledger as seen from that transaction, for as long as the connection is the caller's
     */
    public Ledger ledger(Connection connection) {
        days.during();
        return database.ledger(transactions.bound(connection));
    }

    /**
     * The same in the transaction that the calling thread is in.
     *
     * @return the ledger as seen from that transaction, for as long as it lasts
     * @throws IllegalStateException if the thread is in none, or the store was given no {@link JdbcTransactions}
     */
    public Ledger ledger() {
        return ledger(current("to claim a message in").connection());
    }

    /**
     * For code that writes in handlers and in transactions of somebody else alike: a connection and deferred writes of the transaction
     * that the calling thread is in. Somebody else commits it, maybe without asking, so that what is deferred is executed at once. In a
     * handler it is guarded as the handler's context is; elsewhere the transaction is the caller's own.
     *
     * @return valid for as long as the handler, or else the transaction, lasts; for use by this thread
     * @throws IllegalStateException if the thread is in none, or the store was given no {@link JdbcTransactions}
     */
    public JdbcWriter join() {
        return JoinedWriter.of(current("to write in"), database.errors(), database.appends());
    }

    /**
     * Where messages to send are appended, in a transaction of the caller, who also ends it. A relay finds them at its next look, after
     * two seconds at most unless its node is set otherwise. Whether the caller commits what is appended is not known here: an append
     * behind a commit begins another transaction, which has to be committed too.
     *
     * @param connection a connection to this database with auto-commit off
     * @return an outbox for as long as the connection is the caller's; to append throws {@link
     *     io.pigeonhole.core.failure.ConfigurationException} where auto-commit is on or the connection is read-only
     */
    public Outbox outbox(Connection connection) {
        return JoinedWriter.of(new CallersConnection(connection), database.errors(), database.appends())
                .outbox();
    }

    /**
     * The same in the transaction that the calling thread is in. Relays of this store look at once after its commit.
     *
     * @return an outbox for as long as the transaction lasts; to append throws {@link IllegalStateException} where it has ended, such as
     *     in a callback after the commit
     * @throws IllegalStateException if the thread is in none, or the store was given no {@link JdbcTransactions}
     */
    public Outbox outbox() {
        return JoinedWriter.of(current("to append a message in"), database.errors(), database.appends())
                .outbox();
    }

    private JoinedTransaction current(String purpose) {
        return transactions
                .transactions()
                .current()
                .orElseThrow(() -> new IllegalStateException("this thread is in no transaction " + purpose
                        + ". Begin one, and name the transactions of your framework with JdbcStore.builder(dataSource).transactions(…);"
                        + " or hand the connection in, with store.ledger(connection)"));
    }

    /**
     * What people and their programs may look at and decide about the messages of this store.
     *
     * @return an admin, safe for use by many threads; it needs not be closed
     */
    public Admin admin() {
        return Admin.of(adminStore);
    }

    /**
     * Requests with idempotency keys, in the same database and the same transactions as the inbox.
     *
     * @return the store of {@link io.pigeonhole.core.idempotency.IdempotentRequests}; it needs not be closed
     */
    public IdempotencyStore<JdbcContext> idempotency() {
        return new JdbcIdempotencyStore(database, this);
    }

    /** For contracts. */
    AdminStore adminStore() {
        return adminStore;
    }

    /** Collects the settings of a store. Not safe for use by many threads. */
    public static final class Builder {
        private final DataSource dataSource;
        private int daysAhead = Schema.DAYS_AHEAD;
        private @Nullable JdbcTransactions transactions;
        private @Nullable Dialect dialect;
        private RetentionSettings retention = RetentionSettings.STANDARD;
        private boolean strictOutboxOrder;
        private int optimisticAfter = OptimisticInserts.ENOUGH;
        private LongSupplier nanos = System::nanoTime;

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /**
         * How many days of the ledger exist beyond today. Messages from later days go to the dead letters. A node has to
         * maintain the store more often than every half of that time.
         * While a program uses the store, days are created every hour.
         *
         * @param days from 1 to 365; 8 unless set
         * @return this
         */
        public Builder daysAhead(int days) {
            if (days < 1 || days > 365) {
                throw new IllegalArgumentException("daysAhead " + days + " is not from 1 to 365");
            }
            this.daysAhead = days;
            return this;
        }

        /** After how many claims without a duplicate all keys are taken for new; for tests. */
        Builder optimisticAfter(int claims) {
            this.optimisticAfter = claims;
            return this;
        }

        /** What counts the hours between two looks at the days; for tests. */
        Builder nanos(LongSupplier clock) {
            this.nanos = clock;
            return this;
        }

        /**
         * How long keys are remembered at least. It should be longer than a broker may deliver a message again. Days are
         * dropped as a whole, so that keys in time form live for up to a day more.
         *
         * @param duration from an hour to 366 days; 7 days unless set. Bounds that were raised are never lowered
         * @return this
         */
        public Builder window(Duration duration) {
            this.retention = retention.withWindow(duration);
            return this;
        }

        /**
         * How long the history keeps finished messages.
         *
         * @param duration from an hour to 100 years; 30 days unless set
         * @return this
         */
        public Builder historyRetention(Duration duration) {
            this.retention = retention.withHistory(duration);
            return this;
        }

        /**
         * Where each day of the history must be before it is dropped. A node exports it then, as a whole; a day that the
         * archive does not take stays in the database, with a warning. All nodes need the same archive.
         *
         * @param archive such as the JSON lines of pigeonhole-jackson; none unless set
         * @return this
         */
        public Builder archive(HistoryArchive archive) {
            this.retention = retention.withArchive(Objects.requireNonNull(archive, "archive"));
            return this;
        }

        /**
         * How long failed attempts are kept. Those of messages in work and of dead letters stay as long as these.
         *
         * @param duration from an hour to 100 years; 30 days unless set
         * @return this
         */
        public Builder attemptRetention(Duration duration) {
            this.retention = retention.withAttempts(duration);
            return this;
        }

        /**
         * How long it is kept what people did through the admin API.
         *
         * @param duration from an hour to 100 years; 365 days unless set
         * @return this
         */
        public Builder auditRetention(Duration duration) {
            this.retention = retention.withAudit(duration);
            return this;
        }

        /**
         * How long runs over the history are kept after they ended, with what they skipped, and how long it is kept which days
         * were exported. A run stays as long as the history has messages that belonged to it. The name of a run that is
         * deleted is free again.
         *
         * @param duration from an hour to 100 years; 365 days unless set
         * @return this
         */
        public Builder replayRetention(Duration duration) {
            this.retention = retention.withReplays(duration);
            return this;
        }

        /**
         * When the store may delete what is past its time. New days are created at any time.
         *
         * @param hours local times, compared with the database's clock; always unless set
         * @return this
         */
        public Builder maintenanceWindow(MaintenanceWindow hours) {
            this.retention = retention.withHours(hours);
            return this;
        }

        /**
         * How many rows are looked through in one transaction, about, where rows are deleted one by one. Of attempts and audit entries
         * these are 1,000 at most, and of keys as well where the database is not PostgreSQL.
         *
         * @param rows from 100 to 1,000,000; 5,000 unless set
         * @return this
         */
        public Builder purgeBatch(int rows) {
            this.retention = retention.withBatch(rows);
            return this;
        }

        /**
         * How the transactions begin and end in which handlers run, so that what handlers write through a framework is a part of them.
         *
         * @param ofFramework on the same database; those of the data source, which binds nothing to threads, unless set
         * @return this
         */
        public Builder transactions(JdbcTransactions ofFramework) {
            this.transactions = Objects.requireNonNull(ofFramework, "transactions");
            return this;
        }

        /**
         * Lets transactions that append messages of one ordering key to one destination wait for each other, from the first append to the
         * end of the transaction: then messages of a key are published in the order in which their transactions committed, whatever the
         * transactions do besides. Without it that holds where they wait for each other anyway, such as by updating one row before they
         * append. Every program that appends needs the same setting. Two transactions that append to two keys in different orders may
         * deadlock.
         *
         * @param strict whether they wait; false unless set
         * @return this
         */
        public Builder strictOutboxOrder(boolean strict) {
            this.strictOutboxOrder = strict;
            return this;
        }

        /** What to use instead of the dialect of the product that the connection names; for tests. */
        Builder dialect(Dialect chosen) {
            this.dialect = chosen;
            return this;
        }

        /**
         * Makes the store.
         *
         * @return the store
         * @throws io.pigeonhole.core.failure.ConfigurationException as {@link JdbcStore#create}
         * @throws StoreUnavailableException if the database cannot be reached
         */
        public JdbcStore build() {
            ConnectionSource connections = ConnectionSource.of(dataSource);
            Dialect known = dialect == null ? Products.find(connections) : dialect;
            Schema.validate(connections, known);
            StoreSchema schema = known == null ? PostgresSchema.find(connections) : StoreSchema.current(connections);
            ConnectionSource own = schema == null ? connections : () -> schema.bind(connections.open());
            JdbcTransactions handlers = transactions == null ? new DataSourceTransactions(connections) : transactions;
            TransactionSource begun = new TransactionSource(handlers, schema, strictOutboxOrder);
            return new JdbcStore(
                    known == null
                            ? PostgresDatabase.of(
                                    own, begun, daysAhead, retention, new OptimisticInserts(optimisticAfter), nanos)
                            : PlainDatabase.of(own, begun, known, daysAhead, retention, nanos),
                    begun,
                    nanos,
                    daysAhead);
        }
    }
}
