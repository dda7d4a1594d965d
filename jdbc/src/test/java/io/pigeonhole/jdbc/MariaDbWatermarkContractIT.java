package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.WatermarkContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The store on each MariaDB, under the contract of the inbox. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
@Tag("full")
class MariaDbWatermarkContractIT extends WatermarkContract<JdbcContext> {
    private final MariaDbServer server;

    MariaDbWatermarkContractIT(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
