package io.pigeonhole.rabbitmq;

import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** The publisher of RabbitMQ to quorum queues of the RabbitMQ of this machine. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
@Tag("full")
class QuorumQueuePublisherContractIT extends PublisherContract<InMemoryContext> {
    @SuppressWarnings("NullAway.Init")
    private static AmqpBroker broker;

    @BeforeAll
    static void connect() {
        broker = AmqpBroker.at(RabbitMq.PORT, AmqpQueue.QUORUM);
    }

    @AfterAll
    static void disconnect() {
        broker.stop();
    }

    @Override
    protected PublisherFixture publishing() {
        return new RabbitPublishing(broker);
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
