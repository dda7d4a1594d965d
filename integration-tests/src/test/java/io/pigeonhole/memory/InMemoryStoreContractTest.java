package io.pigeonhole.memory;

import io.pigeonhole.core.memory.InMemoryContext;
import io.pigeonhole.testkit.contract.InboxStoreContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryStoreContractTest extends InboxStoreContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
