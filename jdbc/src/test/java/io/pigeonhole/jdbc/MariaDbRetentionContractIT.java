package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.RetentionContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** What the store on MariaDB forgets. */
@Tag("full")
class MariaDbRetentionContractIT extends RetentionContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.ownFixtureOn(MariaDbServers.embedded());
    }
}
