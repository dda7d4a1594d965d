package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.RetentionContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** What the store on H2 forgets. */
class H2RetentionContractIT extends RetentionContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.ownFixtureOn(H2Server.FILES);
    }
}
