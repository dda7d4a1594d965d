package io.pigeonhole.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.postgresql.OptimisticInserts;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.TransactionsFixture;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One schema, pool and store for each server, which the tests of the contracts share; the database goes with the JVM. The
 * pool's defaults are of no help: serializable, read-only, no auto-commit.
 */
public final class SharedStore {
    private static final Map<DatabaseServer, SharedStore> SHARED = new ConcurrentHashMap<>();
    private static final Map<DatabaseServer, SharedStore> SHARED_AND_BOLD = new ConcurrentHashMap<>();

    private static final Map<DatabaseServer, SharedStore> SHARED_AND_BOUND = new ConcurrentHashMap<>();

    private static final Map<String, SharedStore> SHARED_AND_SMALL = new ConcurrentHashMap<>();

    private final Workshop workshop;
    private final HikariDataSource pool;
    private final JdbcStore store;
    private final DatabaseServer.MovableClock clock;
    private final MessageKey oldest;
    private final @Nullable ThreadBoundTransactions framework;

    private SharedStore(DatabaseServer server, int optimisticAfter) {
        this(server, optimisticAfter, 12, false);
    }

    private SharedStore(DatabaseServer server, int optimisticAfter, int connections, boolean bound) {
        workshop = server.schema();
        clock = server.clock(workshop);
        HikariConfig config = new HikariConfig();
        config.setDataSource(clock.dataSource());
        config.setMaximumPoolSize(connections);
        if (connections < 12) {
            config.setConnectionTimeout(2_000);
        }
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        config.setReadOnly(true);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
        framework = bound ? new ThreadBoundTransactions(pool) : null;
        JdbcStore.Builder builder = JdbcStore.builder(pool).optimisticAfter(optimisticAfter);
        store = (framework == null ? builder : builder.transactions(framework)).build();
        oldest = workshop.askKey("SELECT oldest FROM inbox_ledger_bounds");
    }

    public static TransactionsFixture<JdbcContext> fixtureOn(DatabaseServer server) {
        return SHARED.computeIfAbsent(server, each -> new SharedStore(each, OptimisticInserts.ENOUGH))
                .fixture();
    }

    /** The store takes all keys for new, in every claim that is the first of its transaction. */
    static StoreFixture<JdbcContext> boldFixtureOn(DatabaseServer server) {
        return SHARED_AND_BOLD
                .computeIfAbsent(server, each -> new SharedStore(each, 0))
                .fixture();
    }

    /** On a pool of so many connections, which lets nobody wait for long. */
    static StoreFixture<JdbcContext> fixtureOn(DatabaseServer server, int connections) {
        return SHARED_AND_SMALL
                .computeIfAbsent(
                        connections + " to " + server,
                        each -> new SharedStore(server, OptimisticInserts.ENOUGH, connections, false))
                .fixture();
    }

    /** In a framework whose transactions are bound to threads. */
    static TransactionsFixture<JdbcContext> boundFixtureOn(DatabaseServer server) {
        return SHARED_AND_BOUND
                .computeIfAbsent(server, each -> new SharedStore(each, OptimisticInserts.ENOUGH, 12, true))
                .fixture();
    }

    private TransactionsFixture<JdbcContext> fixture() {
        return new JdbcStoreFixture(store, pool, workshop, clock, oldest, framework, () -> {});
    }

    /** A store that nobody else uses, in a schema that is dropped when the fixture is closed. */
    public static StoreFixture<JdbcContext> ownFixtureOn(DatabaseServer server) {
        SharedStore own = new SharedStore(server, OptimisticInserts.ENOUGH);
        return new JdbcStoreFixture(own.store, own.pool, own.workshop, own.clock, own.oldest, null, () -> {
            own.pool.close();
            own.workshop.close();
        });
    }
}
