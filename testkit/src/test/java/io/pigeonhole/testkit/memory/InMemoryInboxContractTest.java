package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.InboxContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryInboxContractTest extends InboxContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }

    @Override
    protected boolean triesEveryThrowable() {
        return true;
    }
}
