package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.WatermarkContract;

/** The store on H2, under the contract of the inbox. */
class H2WatermarkContractIT extends WatermarkContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
