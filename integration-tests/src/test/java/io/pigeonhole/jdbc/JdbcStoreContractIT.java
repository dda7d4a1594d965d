package io.pigeonhole.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The store of each server, through a pool whose defaults are of no help: serializable, read-only, no auto-commit. */
@OnEveryServer
class JdbcStoreContractIT extends InboxStoreContract<JdbcContext> {
    private static final Map<PostgresServer, Shared> SHARED = new ConcurrentHashMap<>();

    private final PostgresServer server;

    JdbcStoreContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        Shared shared = SHARED.computeIfAbsent(server, Shared::new);
        return new JdbcStoreFixture(shared.store, shared.pool, shared.workshop, shared.oldest);
    }

    /** One schema and one pool per server; the database goes with the JVM. */
    private static final class Shared {
        final Workshop workshop;
        final HikariDataSource pool;
        final JdbcStore store;
        final String oldest;

        Shared(PostgresServer server) {
            workshop = server.schema();
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(workshop.url());
            config.setMaximumPoolSize(12);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
            config.setReadOnly(true);
            config.setAutoCommit(false);
            pool = new HikariDataSource(config);
            store = JdbcStore.create(pool);
            oldest = workshop.ask("SELECT oldest FROM inbox_horizon");
        }
    }
}
