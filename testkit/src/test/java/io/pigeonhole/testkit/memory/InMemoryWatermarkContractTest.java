package io.pigeonhole.testkit.memory;

import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.WatermarkContract;

class InMemoryWatermarkContractTest extends WatermarkContract<InMemoryContext> {
    @Override
    protected StoreFixture<InMemoryContext> fixture() {
        return new InMemoryFixture();
    }
}
