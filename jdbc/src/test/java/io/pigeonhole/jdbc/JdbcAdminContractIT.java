package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.AdminContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store of each server under the contract of the admin API. */
@OnEveryServer
class JdbcAdminContractIT extends AdminContract<JdbcContext> {
    private final PostgresServer server;

    JdbcAdminContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
