package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store of each server under the contract of requests with idempotency keys. */
@OnEveryServer
class JdbcIdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    private final PostgresServer server;

    JdbcIdempotencyContractIT(PostgresServer server) {
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
