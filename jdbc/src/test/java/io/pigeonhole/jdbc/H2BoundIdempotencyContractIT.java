package io.pigeonhole.jdbc;

import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.testkit.contract.IdempotencyContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The store on H2, in a framework whose transactions are bound to threads, under the contract of requests with idempotency keys. */
@Tag("full")
class H2BoundIdempotencyContractIT extends IdempotencyContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.boundFixtureOn(H2Server.FILES);
    }

    @Override
    protected IdempotencyStore<JdbcContext> store(StoreFixture<JdbcContext> fixture) {
        return ((JdbcStore) fixture.store()).idempotency();
    }
}
