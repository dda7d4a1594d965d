package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store of each server under the contract of stores. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
class JdbcStoreContractIT extends InboxStoreContract<JdbcContext> {
    private final PostgresServer server;

    JdbcStoreContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
