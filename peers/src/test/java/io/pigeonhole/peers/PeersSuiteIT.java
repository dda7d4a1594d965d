package io.pigeonhole.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.floor.MessageSinks;
import io.pigeonhole.benchmarks.floor.Sizes;
import io.pigeonhole.benchmarks.floor.Workload;
import io.pigeonhole.benchmarks.floor.WorkloadShape;
import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteResult;
import io.pigeonhole.benchmarks.suite.SuiteRunner;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.time.SystemTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole suite in small: that every peer is measured and does the work, not how fast it is. A round and its warm-up. */
@Tag("full")
class PeersSuiteIT {
    private static final Sizes TINY = new Sizes(200, 600, 600, 1);
    private static final String[] VARIANTS = {
        "floor-message",
        "pigeonhole-claim",
        "pigeonhole-message",
        "eventuate-tram",
        "spring-integration",
        "camel",
        "transaction-outbox",
        "seed-loop",
        "floor-batch",
        "pigeonhole-batch",
        "spring-integration-batch",
        "camel-batch",
        "floor-batch-deferred",
        "pigeonhole-deferred"
    };

    private DatabaseServer server;

    @SuppressWarnings("NullAway.Init") // set before each test
    PeersSuiteIT() {}

    @BeforeEach
    void startServer() throws SQLException {
        server = DatabaseServer.start(Product.POSTGRESQL, Path.of(System.getProperty("pigeonhole.target")), 10);
    }

    @AfterEach
    void stopServer() throws SQLException {
        server.close();
    }

    @Test
    void everyPeerIsMeasuredAndItsBooksBalance() throws Exception {
        PeersSuite peers = PeersSuite.create(server, TINY, new WorkloadShape(4, UuidVersion.V7, 10));
        Suite suite = peers.suite();

        List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

        SuiteResult result = new SuiteResult(suite, peers.configurations(), rounds);
        assertThat(rounds.get(0).measurements()).containsOnlyKeys(VARIANTS);
        assertThat(VARIANTS)
                .allSatisfy(variant -> assertThat(result.violations(variant)).isEmpty());
        assertThat(suite.ratios())
                .extracting(Ratio::name)
                .contains(
                        "pigeonhole-claim/floor-message",
                        "pigeonhole-message/eventuate-tram",
                        "pigeonhole-claim/transaction-outbox",
                        "pigeonhole-batch/camel-batch",
                        "pigeonhole-deferred/floor-batch-deferred");
        assertThat(result.environment())
                .hasEntrySatisfying(
                        "camel",
                        configuration -> assertThat(configuration).matches("\\d+\\.\\d+\\.\\d+, JdbcMessageId.*"))
                .hasEntrySatisfying(
                        "oncebox", configuration -> assertThat(configuration).startsWith("not measured"));
    }

    @Test
    void randomIdsOneThreadAndNoDuplicatesAreMeasuredToo() throws Exception {
        Suite suite = PeersSuite.create(server, TINY, new WorkloadShape(1, UuidVersion.V4, 0))
                .suite();

        for (Variant variant : suite.variants()) {
            Measurement measurement = variant.measure();
            assertThat(measurement.violation()).isNull();
            assertThat(measurement.effects()).as(variant.name()).isEqualTo(measurement.messages());
        }
    }

    @Test
    void aPeerThatAppliesDuplicatesIsMeasuredWithItsViolation() throws Exception {
        WorkloadShape shape = new WorkloadShape(2, UuidVersion.V7, 20);
        PeersDatabase database = PeersSuite.create(server, TINY, shape).database();
        Workload workload = Workload.generate(500, shape, SystemTime.clock());

        Measurement measurement = PeerVariant.exactlyOnce(
                        "careless", workload, MessageSinks.atLeastOnce(server.dataSource()), 1, database)
                .measure();

        assertThat(measurement.violation()).contains("careless left").contains("it should have left");
        assertThat(measurement.messagesPerSecond()).isPositive();
    }
}
