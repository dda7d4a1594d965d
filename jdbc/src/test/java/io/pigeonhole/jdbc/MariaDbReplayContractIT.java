package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.ReplayContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, under the contract of replays. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
@Tag("full")
class MariaDbReplayContractIT extends ReplayContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbReplayContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
