package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.OutboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages to send on each MariaDB, and their relay, under the contract. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbOutboxContractIT extends OutboxContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbOutboxContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
