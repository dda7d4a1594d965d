package io.pigeonhole.sqs;

import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;

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
