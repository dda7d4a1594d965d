package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.ReplayContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store on H2, under the contract of replays. */
class H2ReplayContractIT extends ReplayContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
