package io.pigeonhole.kafka;

import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Kafka and inboxes that deduplicate by watermarks and ids. */
@Tag("full")
class KafkaHybridSourceContractIT extends SourceContract<InMemoryContext> {
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
    protected BrokerFixture broker() {
        return kafka.forOneTest(Deduplication.HYBRID);
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }
}
