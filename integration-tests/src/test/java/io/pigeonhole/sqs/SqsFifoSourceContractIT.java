package io.pigeonhole.sqs;

import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import org.junit.jupiter.api.Tag;

/** FIFO queues with the store in memory. */
@Tag("full")
class SqsFifoSourceContractIT extends SourceContract<InMemoryContext> {
    @Override
    protected BrokerFixture broker() {
        return SqsBroker.fifo();
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
