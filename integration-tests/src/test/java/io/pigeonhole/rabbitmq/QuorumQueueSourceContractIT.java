package io.pigeonhole.rabbitmq;

import io.pigeonhole.core.memory.InMemoryContext;
import io.pigeonhole.memory.InMemoryFixture;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** Quorum queues of the RabbitMQ of this machine, with the store in memory. */
@EnabledIf("io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo")
class QuorumQueueSourceContractIT extends SourceContract<InMemoryContext> {
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
    protected BrokerFixture broker() {
        return broker.forOneTest();
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
