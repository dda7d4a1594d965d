package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store on H2, under the contract of stores. */
class H2StoreContractIT extends InboxStoreContract<JdbcContext> {
    @Override
    protected StoreFixture<JdbcContext> fixture() {
        return SharedStore.fixtureOn(H2Server.FILES);
    }
}
