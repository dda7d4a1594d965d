package io.pigeonhole.rabbitmq;

import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The publisher of RabbitMQ with an AMQP broker inside the JVM, so that the contract is kept on every machine. */
class QpidPublisherContractIT extends PublisherContract<InMemoryContext> {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedAmqp qpid;

    @SuppressWarnings("NullAway.Init")
    private static AmqpBroker broker;

    @BeforeAll
    static void start() {
        qpid = EmbeddedAmqp.start(directory.resolve("qpid"));
        broker = AmqpBroker.at(qpid.port(), AmqpQueue.CLASSIC);
    }

    @AfterAll
    static void stop() {
        broker.stop();
        qpid.close();
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
