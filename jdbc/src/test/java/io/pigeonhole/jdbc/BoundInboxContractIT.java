package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The inbox in transactions that are bound to threads, on each server. */
@OnEveryServer
@Tag("full")
class BoundInboxContractIT extends InboxContract<JdbcContext> {
    private final PostgresServer server;

    BoundInboxContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.boundFixtureOn(server);
    }
}
