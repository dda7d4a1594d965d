package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.ReplayContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The store on H2, under the contract of replays. */
@Tag("full")
class H2ReplayContractIT extends ReplayContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
