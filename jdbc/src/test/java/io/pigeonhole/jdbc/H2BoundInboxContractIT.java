package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The inbox in transactions that are bound to threads, on H2. */
@Tag("full")
class H2BoundInboxContractIT extends InboxContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.boundFixtureOn(H2Server.FILES);
    }
}
