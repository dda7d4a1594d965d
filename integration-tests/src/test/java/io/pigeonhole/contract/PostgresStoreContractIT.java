package io.pigeonhole.contract;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class PostgresStoreContractIT extends InboxStoreContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return new PostgresFixture(PostgresDatabase.pool());
    }
}
