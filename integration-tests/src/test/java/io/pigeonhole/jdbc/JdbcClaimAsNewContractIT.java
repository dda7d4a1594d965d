package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Inboxes under their contract, on a store whose claims take all keys for new and are often wrong. */
@OnEveryServer
class JdbcClaimAsNewContractIT extends InboxContract<JdbcContext> {
    private final PostgresServer server;

    JdbcClaimAsNewContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.boldFixtureOn(server);
    }
}
