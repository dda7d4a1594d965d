package io.pigeonhole.sqs;

import io.pigeonhole.core.memory.InMemoryContext;
import io.pigeonhole.memory.InMemoryFixture;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;

/** Standard queues with the store in memory. */
class SqsSourceContractIT extends SourceContract<InMemoryContext> {
    @Override
    protected BrokerFixture broker() {
        return SqsBroker.standard();
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
