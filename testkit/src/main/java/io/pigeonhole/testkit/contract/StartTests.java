package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever begins at the same position again and again is counted. */
abstract class StartTests<C extends HandlerContext> extends StoreLab<C> {
    StartTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void startsAtTheSamePositionAreCounted() {
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(1);
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(2);
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(3);
    }

    @Test
    void anotherPositionBeginsAnew() {
        store.started(consumer, "notes-0", "17");
        store.started(consumer, "notes-0", "17");

        assertThat(store.started(consumer, "notes-0", "18")).isEqualTo(1);
        assertThat(store.started(consumer, "notes-0", "18")).isEqualTo(2);
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(1);
    }

    @Test
    void everyConsumerAndEverythingItBeginsIsCountedForItself() {
        RegisteredConsumer other = register();
        store.started(consumer, "notes-0", "17");

        assertThat(store.started(consumer, "notes-1", "17")).isEqualTo(1);
        assertThat(store.started(other, "notes-0", "17")).isEqualTo(1);
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(2);
    }

    @Tag("C1")
    @Test
    void startThatEndedInGoodOrderIsNotCounted() {
        store.started(consumer, "notes-0", "17");
        store.started(consumer, "notes-0", "17");
        store.ended(consumer, "notes-0", "17");
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(2);
        store.ended(consumer, "notes-0", "17");
        store.ended(consumer, "notes-0", "17");
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void endOfWhatWasNotBegunChangesNothing() {
        store.ended(consumer, "notes-0", "17");
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(1);
        store.ended(consumer, "notes-0", "16");
        store.ended(consumer, "notes-1", "17");
        store.ended(register(), "notes-0", "17");
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(2);
        store.ended(consumer, "notes-0", "17");
        store.ended(consumer, "notes-0", "17");
        store.ended(consumer, "notes-0", "17");
        assertThat(store.started(consumer, "notes-0", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void startBeyondALimitIsNotNotedWhileTheLastIsFresh() {
        Duration fresh = Duration.ofMinutes(1);
        assertThat(store.started(consumer, "lane 3", "17", 2, fresh)).isEqualTo(1);
        assertThat(store.started(consumer, "lane 3", "17", 2, fresh)).isEqualTo(2);
        assertThat(store.started(consumer, "lane 3", "17", 2, fresh)).isZero();
        assertThat(store.started(consumer, "lane 4", "17", 2, fresh)).isEqualTo(1);
        fixture.advance(Duration.ofMinutes(2));
        assertThat(store.started(consumer, "lane 3", "17", 2, fresh)).isEqualTo(3);
        assertThat(store.started(consumer, "lane 3", "17", 2, fresh)).isZero();
        assertThat(store.started(consumer, "lane 3", "18", 2, fresh)).isEqualTo(1);
    }

    @Test
    void longestNamesAreKeptApart() {
        String longest = "é".repeat(299);
        store.started(consumer, longest + "a", longest + "a");

        assertThat(store.started(consumer, longest + "b", longest + "a")).isEqualTo(1);
        assertThat(store.started(consumer, longest + "a", longest + "a")).isEqualTo(2);
        assertThat(store.started(consumer, longest + "a", longest + "b")).isEqualTo(1);
    }

    @Test
    void startsAtTheSameTimeAreAllCounted() throws Exception {
        List<Integer> counts = threads.together(8, thread -> store.started(consumer, "notes-0", "17"));

        assertThat(counts).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8);
    }
}
