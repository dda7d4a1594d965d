package io.pigeonhole.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.relay.BrokerCircuit.Permit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BrokerCircuitTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
    private final BrokerCircuit circuit = new BrokerCircuit("a relay", nanos::get);

    private static IllegalStateException away() {
        return new IllegalStateException("away");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void everythingMayBeTriedUntilTheBrokerIsAway() {
        assertThat(circuit.ask()).isEqualTo(Permit.ALL);
        assertThat(circuit.ask()).isEqualTo(Permit.ALL);
        assertThat(circuit.opensIn()).isZero();
        assertThat(circuit.problem()).isNull();
    }

    @Test
    void oneMessageAtATimeIsTriedAfterAPause() {
        circuit.failed(Permit.ALL, away());

        assertThat(circuit.ask()).isEqualTo(Permit.NONE);
        assertThat(circuit.opensIn()).isBetween(Duration.ofMillis(80), Duration.ofMillis(100));
        assertThat(circuit.problem()).contains("away");
        pass(Duration.ofMillis(100));
        assertThat(circuit.opensIn()).isZero();
        assertThat(circuit.ask()).isEqualTo(Permit.ONE);
        assertThat(circuit.ask()).isEqualTo(Permit.NONE);
    }

    @Test
    void pausesGrowAndEnd() {
        circuit.failed(Permit.ALL, away());
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(5));
            assertThat(circuit.ask()).isEqualTo(Permit.ONE);
            circuit.failed(Permit.ONE, away());
        }
        assertThat(circuit.opensIn()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
    }

    @Test
    void othersThatBeganBeforeDoNotMakeThePauseLonger() {
        circuit.failed(Permit.ALL, away());
        circuit.failed(Permit.ALL, away());
        circuit.failed(Permit.ALL, away());

        assertThat(circuit.opensIn()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void everythingMayBeTriedOnceOneIsConfirmed() {
        circuit.failed(Permit.ALL, away());
        pass(Duration.ofSeconds(1));
        circuit.succeeded(circuit.ask());

        assertThat(circuit.ask()).isEqualTo(Permit.ALL);
        assertThat(circuit.problem()).isNull();
    }

    @Test
    void oneThatBeganBeforeSaysNothing() {
        circuit.failed(Permit.ALL, away());
        circuit.succeeded(Permit.ALL);

        assertThat(circuit.ask()).isEqualTo(Permit.NONE);
        assertThat(circuit.problem()).isNotNull();
    }

    @Test
    void whoPublishesNothingGivesItsPermitBack() {
        circuit.failed(Permit.ALL, away());
        pass(Duration.ofSeconds(1));
        circuit.gaveUp(circuit.ask());

        assertThat(circuit.ask()).isEqualTo(Permit.ONE);
    }
}
