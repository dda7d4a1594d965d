package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.OutboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Messages to send on H2, and their relay, under the contract. */
class H2OutboxContractIT extends OutboxContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
