package io.pigeonhole.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One schema, pool and store for each server, which the tests of the contracts share; the database goes with the JVM. The
 * pool's defaults are of no help: serializable, read-only, no auto-commit.
 */
final class SharedStore {
    private static final Map<PostgresServer, SharedStore> SHARED = new ConcurrentHashMap<>();

    private final Workshop workshop;
    private final HikariDataSource pool;
    private final JdbcStore store;
    private final DatabaseClock clock;
    private final String oldest;

    private SharedStore(PostgresServer server) {
        workshop = server.schema();
        clock = new DatabaseClock(workshop);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(clock.url());
        config.setMaximumPoolSize(12);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        config.setReadOnly(true);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
        store = JdbcStore.create(pool);
        oldest = workshop.ask("SELECT oldest FROM inbox_horizon");
    }

    static StoreFixture<JdbcContext> fixtureOn(PostgresServer server) {
        SharedStore shared = SHARED.computeIfAbsent(server, SharedStore::new);
        return new JdbcStoreFixture(shared.store, shared.pool, shared.workshop, shared.clock, shared.oldest);
    }
}
