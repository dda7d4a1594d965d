package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.RetentionContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** What the store in memory forgets. */
class InMemoryRetentionContractTest extends RetentionContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
