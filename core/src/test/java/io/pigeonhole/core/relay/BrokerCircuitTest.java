package io.pigeonhole.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.relay.BrokerCircuit.Permit;
import io.pigeonhole.core.relay.BrokerCircuit.Place;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BrokerCircuitTest {
    private static final Place HERE = new Place(0, false);
    private static final Place THERE = new Place(1, false);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
    private final BrokerCircuit circuit = new BrokerCircuit("a relay", Duration.ofSeconds(30), nanos::get);

    private static IllegalStateException away() {
        return new IllegalStateException("away");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private boolean failed(Permit permit) {
        return circuit.published(HERE, permit, false, away());
    }

    private void succeeded(Place place, Permit permit) {
        assertThat(circuit.published(place, permit, true, null)).isFalse();
    }

    @Test
    void everythingMayBeTriedUntilTheBrokerIsAway() {
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
        assertThat(circuit.opensIn(HERE)).isZero();
        assertThat(circuit.problem()).isNull();
    }

    @Test
    void fewMessagesAreTriedAfterAPauseByOneAtATime() {
        assertThat(failed(Permit.ALL)).isFalse();

        assertThat(circuit.ask(HERE)).isEqualTo(Permit.NONE);
        assertThat(circuit.opensIn(HERE)).isBetween(Duration.ofMillis(80), Duration.ofMillis(100));
        assertThat(circuit.problem()).contains("away");
        pass(Duration.ofMillis(100));
        assertThat(circuit.opensIn(HERE)).isZero();
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.FEW);
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.NONE);
    }

    @Test
    void pausesGrowAndEnd() {
        failed(Permit.ALL);
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(5));
            assertThat(circuit.ask(HERE)).isEqualTo(Permit.FEW);
            assertThat(failed(Permit.FEW)).isFalse();
        }
        assertThat(circuit.opensIn(HERE)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
    }

    @Test
    void placeThatHasNotTriedMayDoSoAtOnce() {
        failed(Permit.ALL);

        assertThat(circuit.opensIn(THERE)).isZero();
        assertThat(circuit.ask(THERE)).isEqualTo(Permit.FEW);
    }

    @Test
    void everythingMayBeTriedOnceOneIsConfirmed() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(HERE, circuit.ask(HERE));

        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
        assertThat(circuit.problem()).isNull();
    }

    @Test
    void oneThatBeganBeforeSaysNothing() {
        failed(Permit.ALL);
        succeeded(THERE, Permit.ALL);

        assertThat(circuit.ask(HERE)).isEqualTo(Permit.NONE);
        assertThat(circuit.problem()).isNotNull();
    }

    @Test
    void whoPublishesNothingGivesItsPermitBack() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        circuit.gaveUp(circuit.ask(HERE));

        assertThat(circuit.ask(HERE)).isEqualTo(Permit.FEW);
    }

    @Test
    void brokerThatTakesOthersOfACallIsNotAway() {
        assertThat(circuit.published(HERE, Permit.ALL, true, away())).isTrue();
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
    }

    @Test
    void brokerThatTakesOthersElsewhereIsNotAway() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(THERE, circuit.ask(HERE));

        assertThat(failed(Permit.ALL)).isTrue();
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
    }

    @Test
    void whatWasNotTakenLongAgoAndIsGoneSaysNothingOfTheNextOutage() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(THERE, circuit.ask(THERE));
        circuit.onlyAt(Set.of(THERE));

        assertThat(failed(Permit.ALL)).isFalse();
    }

    @Test
    void answerFromBeforeTheBrokerWentAwaySaysNothing() {
        failed(Permit.ALL);
        circuit.published(THERE, Permit.ALL, true, null);
        pass(Duration.ofSeconds(1));

        assertThat(failed(circuit.ask(HERE))).isFalse();
        assertThat(circuit.published(THERE, Permit.ALL, true, away())).isFalse();
    }

    @Test
    void brokerThatRefusesAllIsNotAway() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        circuit.published(HERE, circuit.ask(HERE), false, null);

        assertThat(circuit.problem()).isNull();
    }

    @Test
    void whatWasTriedBeforeWaitsThoughTheLastAnswerIsOld() {
        Place again = new Place(1, true);
        circuit.published(again, Permit.ALL, false, away());
        pass(Duration.ofSeconds(1));
        succeeded(THERE, circuit.ask(THERE));
        pass(Duration.ofMinutes(2));

        assertThat(circuit.published(again, Permit.ALL, false, away())).isTrue();
        assertThat(circuit.problem()).isNull();
    }

    @Test
    void answerThatIsOldSaysNothing() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(THERE, circuit.ask(THERE));
        pass(Duration.ofMinutes(2));

        assertThat(failed(Permit.ALL)).isFalse();
    }

    @Test
    void answerCountsForLongerThanItTakesUntilMessagesAreKnownNotToBeTaken() {
        BrokerCircuit patient = new BrokerCircuit("a relay", Duration.ofMinutes(10), nanos::get);
        patient.published(HERE, Permit.ALL, false, away());
        pass(Duration.ofSeconds(1));
        patient.published(THERE, patient.ask(THERE), true, null);
        pass(Duration.ofMinutes(10));

        assertThat(patient.published(HERE, Permit.ALL, false, away())).isTrue();
    }

    @Test
    void fewAreMovedAtATimeWhileTheBrokerIsAway() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(THERE, circuit.ask(THERE));
        circuit.published(THERE, Permit.ALL, false, away());
        pass(Duration.ofSeconds(1));

        assertThat(failed(circuit.ask(HERE))).isTrue();
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.NONE);
    }

    @Test
    void brokerThatHasTakenNothingSinceIsAwayAgain() {
        failed(Permit.ALL);
        pass(Duration.ofSeconds(1));
        succeeded(HERE, circuit.ask(HERE));

        assertThat(failed(Permit.ALL)).isFalse();
        assertThat(circuit.problem()).isNotNull();
    }

    @Test
    void nobodyWaitsForABrokerToWhichThereIsNothingToPublish() {
        failed(Permit.ALL);
        circuit.nothingToPublish();

        assertThat(circuit.problem()).isNull();
        assertThat(circuit.ask(HERE)).isEqualTo(Permit.ALL);
    }
}
