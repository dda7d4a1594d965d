package io.pigeonhole.benchmarks.retire;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole suite in small: that it runs and lets no claim fail, not how fast it is. */
@Tag("full")
class RetireBenchIT {
    @Test
    void forgetsADayAndKeysInDigestFormUnderLoad() throws Exception {
        Path files = Path.of(System.getProperty("pigeonhole.target"));
        try (DatabaseServer server = DatabaseServer.start(Product.POSTGRESQL, files, Load.THREADS + 3)) {
            RetireBench bench = RetireBench.create(server, 5_000, Duration.ofMillis(300));

            Forgotten day = bench.day();
            Forgotten digests = bench.digests();

            assertThat(day.during().failed()).isZero();
            assertThat(digests.during().failed()).isZero();
            assertThat(day.walBytes()).isLessThan(digests.walBytes());
            assertThat(digests.describe("keys")).contains("0 failed batches");
        }
    }
}
