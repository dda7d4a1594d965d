package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.OutboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Messages to send on each server, and their relay, under the contract. */
@OnEveryServer
class JdbcOutboxContractIT extends OutboxContract<JdbcContext> {
    private final PostgresServer server;

    JdbcOutboxContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
