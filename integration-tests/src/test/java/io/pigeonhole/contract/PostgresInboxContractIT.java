package io.pigeonhole.contract;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class PostgresInboxContractIT extends InboxContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return new PostgresFixture(PostgresDatabase.pool());
    }
}
