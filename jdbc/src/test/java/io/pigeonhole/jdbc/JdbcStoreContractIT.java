package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store of each server under the contract of stores. */
@OnEveryServer
class JdbcStoreContractIT extends InboxStoreContract<JdbcContext> {
    private final PostgresServer server;

    JdbcStoreContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
