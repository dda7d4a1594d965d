package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The inbox on the store of each server. */
@OnEveryServer
class JdbcInboxContractIT extends InboxContract<JdbcContext> {
    private final PostgresServer server;

    JdbcInboxContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
