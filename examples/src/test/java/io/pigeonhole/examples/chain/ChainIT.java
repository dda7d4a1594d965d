package io.pigeonhole.examples.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.examples.demo.Progress;
import io.pigeonhole.examples.demo.Teardown;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The chain of {@code ./demo chain}, smaller. {@code -Dchain.orders=20000 -Dchain.kills=30} make it as large as one likes, and
 * {@code -Dchain.seed} another one.
 */
@Tag("full")
class ChainIT {
    private static final int ORDERS = Integer.getInteger("chain.orders", 2_000);
    private static final int KILLS = Integer.getInteger("chain.kills", 6);
    private static final long SEED = Long.getLong("chain.seed", 20_261_129);
    private static final Path TARGET = Path.of(System.getProperty("pigeonhole.target", "target"));

    @Test
    @Timeout(value = 45, unit = TimeUnit.MINUTES)
    void orderHasEachEffectOnceInTheOrderOfItsCustomerWhateverIsRepeatedRolledBackOrKilled() throws Exception {
        ChainReport report;
        try (Teardown teardown = new Teardown()) {
            Progress progress = new Progress(System.err, false, "");
            report = new Chain(ORDERS, KILLS, SEED, progress, teardown).run(TARGET.resolve("chain"));
        }
        System.out.println(report.toJson());

        assertThat(report.objections()).isEmpty();
        assertThat(report.unique()).isEqualTo(ORDERS);
        assertThat(report.effects()).isEqualTo(4L * ORDERS);
        assertThat(report.kills()).isEqualTo(KILLS);
        assertThat(report.exactlyOnce()).isTrue();
        // Otherwise nothing was tried.
        assertThat(report.sent()).isGreaterThan(ORDERS);
        assertThat(report.injected()).isGreaterThan(ORDERS / 10);
        assertThat(report.deliveries()).isGreaterThanOrEqualTo(3L * ORDERS + report.injected());
    }
}
