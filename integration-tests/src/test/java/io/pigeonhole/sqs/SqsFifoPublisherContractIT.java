package io.pigeonhole.sqs;

import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import org.junit.jupiter.api.Tag;

/** The publisher of SQS with FIFO queues. */
@Tag("full")
class SqsFifoPublisherContractIT extends PublisherContract<InMemoryContext> {
    @Override
    protected PublisherFixture publishing() {
        return new SqsPublishing(SqsBroker.fifo());
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
