package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, under the contract of requests with idempotency keys. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbIdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbIdempotencyContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }

    @Override
    protected IdempotencyStore<JdbcContext> store(StoreFixture<JdbcContext> fixture) {
        return ((JdbcStore) fixture.store()).idempotency();
    }
}
