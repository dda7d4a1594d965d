package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.OutboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryOutboxContractTest extends OutboxContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
