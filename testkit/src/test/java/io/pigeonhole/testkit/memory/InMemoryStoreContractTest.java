package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryStoreContractTest extends InboxStoreContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
