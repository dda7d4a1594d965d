package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store on H2, under the contract of requests with idempotency keys. */
class H2IdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }

    @Override
    protected IdempotencyStore<JdbcContext> store(StoreFixture<JdbcContext> fixture) {
        return ((JdbcStore) fixture.store()).idempotency();
    }
}
