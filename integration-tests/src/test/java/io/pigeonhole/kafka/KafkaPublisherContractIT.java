package io.pigeonhole.kafka;

import io.pigeonhole.testkit.contract.PublisherContract;
import io.pigeonhole.testkit.contract.PublisherFixture;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The publisher of Kafka, with the store in memory. */
class KafkaPublisherContractIT extends PublisherContract<InMemoryContext> {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static KafkaBroker kafka;

    @BeforeAll
    static void start() {
        kafka = KafkaBroker.start(directory.resolve("kafka"));
    }

    @AfterAll
    static void stop() {
        kafka.stop();
    }

    @Override
    protected PublisherFixture publishing() {
        return new KafkaPublishing(kafka);
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
