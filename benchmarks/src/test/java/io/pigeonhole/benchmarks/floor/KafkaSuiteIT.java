package io.pigeonhole.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteRunner;
import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole suite in small: that it runs and that its checks hold, not how fast it is. */
@Tag("full")
class KafkaSuiteIT {
    @Test
    void consumesTheWholeTopicWithAndWithoutAnInbox() throws Exception {
        Path files = Path.of(System.getProperty("pigeonhole.target"));
        try (DatabaseServer server = DatabaseServer.start(Product.POSTGRESQL, files, 10);
                EmbeddedKafka broker = EmbeddedKafka.start(files.resolve("kafka"))) {
            Suite suite = KafkaSuite.create(server, broker, 2000);
            List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

            assertThat(rounds.get(0).measurements().keySet())
                    .containsExactly("bare-consumer", "hand-ids", "pigeonhole-ids", "pigeonhole-watermark");
            assertThat(rounds.get(0).of("pigeonhole-ids").messages()).isEqualTo(2000);
        }
    }
}
