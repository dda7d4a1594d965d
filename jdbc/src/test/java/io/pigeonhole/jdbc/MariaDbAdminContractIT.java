package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.AdminContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, under the contract of the admin API. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
@Tag("full")
class MariaDbAdminContractIT extends AdminContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbAdminContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
