package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, under the contract of stores. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbStoreContractIT extends InboxStoreContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbStoreContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
