package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The inbox on the store of each server. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
class JdbcInboxContractIT extends InboxContract<JdbcContext> {
    private final PostgresServer server;

    JdbcInboxContractIT(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
