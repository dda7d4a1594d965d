package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.RetentionContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** What the store on PostgreSQL forgets. */
class PostgresRetentionContractIT extends RetentionContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.ownFixtureOn(PostgresServers.embedded());
    }
}
