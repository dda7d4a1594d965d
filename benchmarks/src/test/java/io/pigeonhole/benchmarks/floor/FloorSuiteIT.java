package io.pigeonhole.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import io.pigeonhole.benchmarks.suite.JsonReport;
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
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole suite in small: that it runs and that its checks hold, not how fast it is. */
@ParameterizedClass
@EnumSource(Product.class)
@Tag("full")
class FloorSuiteIT {
    private static final Sizes TINY = new Sizes(200, 600, 600, 1);

    private final Product product;
    private DatabaseServer server;

    @SuppressWarnings("NullAway.Init") // set before each test
    FloorSuiteIT(Product product) {
        this.product = product;
    }

    @BeforeEach
    void startServer() throws SQLException {
        server = DatabaseServer.start(
                product, Path.of(System.getProperty("pigeonhole.target")), WorkloadShape.STANDARD.threads() + 2);
    }

    @AfterEach
    void stopServer() throws SQLException {
        server.close();
    }

    @Test
    void everyVariantDoesTheWorkAndItsBooksBalance() throws Exception {
        Suite suite = FloorSuite.create(server, TINY, WorkloadShape.STANDARD);
        List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

        SuiteResult result = new SuiteResult(suite, server.environment(), rounds);
        JsonNode json = JsonMapper.shared().readTree(new JsonReport(result).text());
        assertThat(server.isDurable()).isTrue();
        assertThat(json.get("rounds").get(0).propertyNames())
                .contains(
                        "floor-message",
                        "floor-batch",
                        "floor-batch-deferred",
                        "seed-loop",
                        "pigeonhole-message",
                        "pigeonhole-batch",
                        "pigeonhole-deferred",
                        "store-then-process",
                        "pigeonhole-receive",
                        "pigeonhole-watermark",
                        "pigeonhole-watermark-deferred")
                .hasSize(product == Product.POSTGRESQL ? 12 : 11);
        assertThat(json.get("ratios").propertyNames())
                .contains(
                        "pigeonhole-batch/floor-batch",
                        "pigeonhole-deferred/floor-batch-deferred",
                        "pigeonhole-batch/seed-loop",
                        "pigeonhole-deferred/seed-loop",
                        "pigeonhole-message/floor-message",
                        "pigeonhole-receive/store-then-process");
    }

    @Test
    void theHandWrittenInboxIsThereOnPostgresqlOnly() throws Exception {
        Suite suite = FloorSuite.create(server, TINY, new WorkloadShape(2, UuidVersion.V4, 10));

        if (product == Product.POSTGRESQL) {
            Suite one = suite.only(Set.of("hand-batch-deferred", "pigeonhole-deferred"));
            Round round =
                    new SuiteRunner(one, Duration.ofDays(1), line -> {}).run(1).get(0);
            assertThat(round.of("hand-batch-deferred").effects())
                    .isEqualTo(round.of("pigeonhole-deferred").effects())
                    .isLessThan(600);
            assertThat(one.ratios()).containsExactly(new Ratio("pigeonhole-deferred", "hand-batch-deferred", 0.95));
        } else {
            assertThat(suite.variants()).extracting(Variant::name).doesNotContain("hand-batch-deferred");
        }
    }

    @Test
    void randomIdsAreKeptInDigestFormAndOneThreadIsEnough() throws Exception {
        Suite suite = FloorSuite.create(server, TINY, new WorkloadShape(1, UuidVersion.V4, 10))
                .only(Set.of("pigeonhole-message", "pigeonhole-batch", "pigeonhole-deferred", "pigeonhole-receive"));

        List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

        assertThat(rounds.get(0).measurements()).hasSize(4);
    }

    @Test
    void applyingADuplicateBreaksTheBooksOfAnExactlyOnceVariant() throws Exception {
        FloorSuite.create(server, TINY, WorkloadShape.STANDARD);
        Workload workload = Workload.generate(500, new WorkloadShape(4, UuidVersion.V7, 20), SystemTime.clock());
        Bank bank = new Bank(server.dataSource(), FloorStatements.of(product));
        bank.reset();

        new Partitions(workload, 100, 4).drainInto(new AtLeastOnce(server.dataSource()));

        bank.audit("at least once", Bank.Expected.everyDelivery(workload));
        assertThatThrownBy(() -> bank.audit("exactly once", Bank.Expected.everyMessageOnce(workload)))
                .isInstanceOf(InvariantBrokenException.class)
                .hasMessageContaining("exactly once left");
    }
}
