package io.pigeonhole.rabbitmq;

import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A RabbitMQ of our own, which is restarted, with the store in memory. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#isInstalledOrHasToBe",
        disabledReason = "no RabbitMQ is installed on this machine, as Debian's package rabbitmq-server does")
@Tag("full")
class RestartedRabbitMqSourceContractIT extends SourceContract<InMemoryContext> {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static RabbitMq rabbit;

    @SuppressWarnings("NullAway.Init")
    private static AmqpBroker broker;

    @BeforeAll
    static void start() {
        rabbit = RabbitMq.start(directory.resolve("rabbitmq"));
        broker = AmqpBroker.at(rabbit.port(), AmqpQueue.CLASSIC, () -> {
            rabbit.stop();
            rabbit.startAgain();
        });
    }

    @AfterAll
    static void stop() {
        broker.stop();
        rabbit.close();
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
