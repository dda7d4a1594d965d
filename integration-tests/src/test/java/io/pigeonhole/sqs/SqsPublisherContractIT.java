package io.pigeonhole.sqs;

import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;

/** The publisher of SQS with standard queues. */
class SqsPublisherContractIT extends PublisherContract<InMemoryContext> {
    @Override
    protected PublisherFixture publishing() {
        return new SqsPublishing(SqsBroker.standard());
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
