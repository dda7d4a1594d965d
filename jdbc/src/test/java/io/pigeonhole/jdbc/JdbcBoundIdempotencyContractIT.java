package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store of each server in a framework whose transactions are bound to threads, under the contract of requests with idempotency keys. */
@OnEmbeddedServer
class JdbcBoundIdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    private final PostgresServer server;

    JdbcBoundIdempotencyContractIT(PostgresServer server) {
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
