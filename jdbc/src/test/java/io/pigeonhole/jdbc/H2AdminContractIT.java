package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.AdminContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The store on H2, under the contract of the admin API. */
@Tag("full")
class H2AdminContractIT extends AdminContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
