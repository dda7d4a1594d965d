package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.PoolContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Few connections to each MariaDB. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbPoolContractIT extends PoolContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbPoolContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture(int connections) {
        return SharedStore.fixtureOn(server, connections);
    }
}
