package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.AdminContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** The store in memory under the contract of the admin API. */
class InMemoryAdminContractTest extends AdminContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
