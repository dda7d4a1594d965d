package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.PoolContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Few connections to H2. */
class H2PoolContractIT extends PoolContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture(int connections) {
        return SharedStore.fixtureOn(H2Server.FILES, connections);
    }
}
