package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.WatermarkContract;

/** The inbox on the store of each server. */
@OnEveryServer
class JdbcWatermarkContractIT extends WatermarkContract<JdbcContext> {
    private final PostgresServer server;

    JdbcWatermarkContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
