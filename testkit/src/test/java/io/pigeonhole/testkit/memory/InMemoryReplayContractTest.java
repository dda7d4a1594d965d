package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.ReplayContract;
import io.pigeonhole.testkit.contract.StoreFixture;

class InMemoryReplayContractTest extends ReplayContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }

    @Override
    protected boolean triesEveryThrowable() {
        return true;
    }
}
