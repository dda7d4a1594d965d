package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.ReplayContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Replays on each server. */
@OnEveryServer
class JdbcReplayContractIT extends ReplayContract<JdbcContext> {
    private final PostgresServer server;

    JdbcReplayContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
