package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.PoolContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Few connections to each server. */
@OnEveryServer
class JdbcPoolContractIT extends PoolContract<JdbcContext> {
    private final PostgresServer server;

    JdbcPoolContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture(int connections) {
        return SharedStore.fixtureOn(server, connections);
    }
}
