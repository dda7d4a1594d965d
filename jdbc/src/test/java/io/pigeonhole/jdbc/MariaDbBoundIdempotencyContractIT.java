package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, in a framework whose transactions are bound to threads, under the contract of requests with idempotency keys. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
@Tag("full")
class MariaDbBoundIdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbBoundIdempotencyContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.boundFixtureOn(server);
    }

    @Override
    protected IdempotencyStore<JdbcContext> store(StoreFixture<JdbcContext> fixture) {
        return ((JdbcStore) fixture.store()).idempotency();
    }
}
