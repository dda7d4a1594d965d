package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The same contract where the driver fetches rows one by one: no statement's effect depends on who reads its rows. */
@Tag("full")
@OnEmbeddedServer
class JdbcRowByRowContractIT extends InboxStoreContract<JdbcContext> {
    private final PostgresServer server;

    JdbcRowByRowContractIT(PostgresServer server) {
        this.server = new PostgresServer(server.name() + ", row by row", server.url() + "&defaultRowFetchSize=1");
    }

    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(server);
    }
}
