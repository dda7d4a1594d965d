package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** Inboxes under their contract, on a store whose claims take all keys for new and are often wrong. */
@OnEmbeddedServer
@Tag("full")
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
