package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.OutboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store on H2, under the contract of stores. */
class H2OutboxContractIT extends OutboxContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
