package io.pigeonhole.memory;

import io.pigeonhole.core.memory.InMemoryContext;
import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryInboxContractTest extends InboxContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
