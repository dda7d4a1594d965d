package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.RetentionContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** What the store on MariaDB forgets. */
class MariaDbRetentionContractIT extends RetentionContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.ownFixtureOn(MariaDbServers.embedded());
    }
}
