package io.pigeonhole.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.InvariantBrokenException;
import io.pigeonhole.benchmarks.suite.JsonReport;
import io.pigeonhole.benchmarks.suite.Round;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteResult;
import io.pigeonhole.benchmarks.suite.SuiteRunner;
import io.pigeonhole.core.time.SystemTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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
    private Suite suite;

    @SuppressWarnings("NullAway.Init") // set before each test
    FloorSuiteIT(Product product) {
        this.product = product;
    }

    @BeforeEach
    void startServerAndCreateTables() throws SQLException {
        server = DatabaseServer.start(product, Path.of(System.getProperty("pigeonhole.target")), Workload.LANES + 2);
        suite = FloorSuite.create(server, TINY, 10);
    }

    @AfterEach
    void stopServer() throws SQLException {
        server.close();
    }

    @Test
    void everyVariantDoesTheWorkAndItsBooksBalance() throws Exception {
        List<Round> rounds = new SuiteRunner(suite, Duration.ofDays(1), line -> {}).run(1);

        SuiteResult result = new SuiteResult(suite, server.environment(), rounds);
        JsonNode json = JsonMapper.shared().readTree(new JsonReport(result).text());
        assertThat(server.isDurable()).isTrue();
        assertThat(json.get("rounds").get(0).propertyNames())
                .containsExactlyInAnyOrder(
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
                        "pigeonhole-watermark-deferred");
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
    void applyingADuplicateBreaksTheBooksOfAnExactlyOnceVariant() throws Exception {
        Workload workload = Workload.generate(500, 20, SystemTime.clock());
        Bank bank = new Bank(server.dataSource(), FloorStatements.of(product));
        bank.reset();

        new Lanes(workload, 100, Workload.LANES).drainInto(new AtLeastOnce(server.dataSource()));

        bank.audit("at least once", Bank.Expected.everyDelivery(workload));
        assertThatThrownBy(() -> bank.audit("exactly once", Bank.Expected.everyMessageOnce(workload)))
                .isInstanceOf(InvariantBrokenException.class)
                .hasMessageContaining("exactly once left");
    }
}
