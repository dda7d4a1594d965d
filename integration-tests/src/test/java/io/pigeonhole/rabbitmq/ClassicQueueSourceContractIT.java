package io.pigeonhole.rabbitmq;

import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.SharedStore;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** Classic queues of the RabbitMQ of this machine, with PostgreSQL. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
class ClassicQueueSourceContractIT extends SourceContract<JdbcContext> {
    @SuppressWarnings("NullAway.Init")
    private static AmqpBroker broker;

    @BeforeAll
    static void connect() {
        broker = AmqpBroker.at(RabbitMq.PORT, AmqpQueue.CLASSIC);
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
    protected StoreFixture<JdbcContext> store() {
        return SharedStore.fixtureOn(PostgresServers.embedded());
    }
}
