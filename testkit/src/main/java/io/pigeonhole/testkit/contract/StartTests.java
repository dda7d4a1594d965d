package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever begins at the same position again and again is counted. */
abstract class StartTests<C extends HandlerContext> extends StoreLab<C> {
    StartTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** The start of one who has not begun before. */
    private static Start another(String what, String position) {
        return new Start(what, position, UUID.randomUUID().toString());
    }

    private int begin(String what, String position) {
        return store.started(consumer, another(what, position));
    }

    @Test
    void startsAtTheSamePositionAreCounted() {
        assertThat(begin("notes-0", "17")).isEqualTo(1);
        assertThat(begin("notes-0", "17")).isEqualTo(2);
        assertThat(begin("notes-0", "17")).isEqualTo(3);
    }

    @Test
    void anotherPositionBeginsAnew() {
        begin("notes-0", "17");
        begin("notes-0", "17");

        assertThat(begin("notes-0", "18")).isEqualTo(1);
        assertThat(begin("notes-0", "18")).isEqualTo(2);
        assertThat(begin("notes-0", "17")).isEqualTo(1);
    }

    @Test
    void everyConsumerAndEverythingItBeginsIsCountedForItself() {
        RegisteredConsumer other = register();
        begin("notes-0", "17");

        assertThat(begin("notes-1", "17")).isEqualTo(1);
        assertThat(store.started(other, another("notes-0", "17"))).isEqualTo(1);
        assertThat(begin("notes-0", "17")).isEqualTo(2);
    }

    @Tag("C1")
    @Test
    void startsOfAPausedConsumerAreRefusedAndNotCounted() {
        begin("notes-0", "17");
        fixture.pause(consumer.name(), true);
        assertThatThrownBy(() -> begin("notes-0", "17")).isInstanceOf(ConsumerPausedException.class);
        assertThatThrownBy(() -> store.started(consumer, another("work partition 3", "17"), 2, Duration.ofMinutes(1)))
                .isInstanceOf(ConsumerPausedException.class);

        fixture.pause(consumer.name(), false);
        assertThat(begin("notes-0", "17")).isEqualTo(2);
        assertThat(begin("work partition 3", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void startThatEndedInGoodOrderIsNotCounted() {
        begin("notes-0", "17");
        begin("notes-0", "17");
        store.ended(consumer, another("notes-0", "17"));
        assertThat(begin("notes-0", "17")).isEqualTo(2);
        store.ended(consumer, another("notes-0", "17"));
        store.ended(consumer, another("notes-0", "17"));
        assertThat(begin("notes-0", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void startThatSomebodyElseHasTakenBackIsCountedWhenItIsNotedAgain() {
        Start first = another("notes-0", "17");
        Start second = another("notes-0", "17");
        store.started(consumer, first);
        store.ended(consumer, first);
        store.started(consumer, second);
        store.ended(consumer, first);
        store.ended(consumer, second);
        assertThat(store.started(consumer, second)).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void endOfWhatWasNotBegunChangesNothing() {
        store.ended(consumer, another("notes-0", "17"));
        assertThat(begin("notes-0", "17")).isEqualTo(1);
        store.ended(consumer, another("notes-0", "16"));
        store.ended(consumer, another("notes-1", "17"));
        store.ended(register(), another("notes-0", "17"));
        assertThat(begin("notes-0", "17")).isEqualTo(2);
        store.ended(consumer, another("notes-0", "17"));
        store.ended(consumer, another("notes-0", "17"));
        store.ended(consumer, another("notes-0", "17"));
        assertThat(begin("notes-0", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void startBeyondALimitIsNotNotedWhileTheLastIsFresh() {
        Duration fresh = Duration.ofMinutes(1);
        assertThat(store.started(consumer, another("work partition 3", "17"), 2, fresh))
                .isEqualTo(1);
        assertThat(store.started(consumer, another("work partition 3", "17"), 2, fresh))
                .isEqualTo(2);
        assertThat(store.started(consumer, another("work partition 3", "17"), 2, fresh))
                .isZero();
        assertThat(store.started(consumer, another("work partition 4", "17"), 2, fresh))
                .isEqualTo(1);
        fixture.advance(Duration.ofMinutes(2));
        assertThat(store.started(consumer, another("work partition 3", "17"), 2, fresh))
                .isEqualTo(3);
        assertThat(store.started(consumer, another("work partition 3", "17"), 2, fresh))
                .isZero();
        assertThat(store.started(consumer, another("work partition 3", "18"), 2, fresh))
                .isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void startThatIsNotedAgainIsCountedOnce() {
        Start first = another("notes-0", "17");
        Start second = another("notes-0", "17");
        store.started(consumer, first);
        assertThat(store.started(consumer, second)).isEqualTo(2);
        assertThat(store.started(consumer, second)).isEqualTo(2);
        assertThat(store.started(consumer, second, 2, LONG)).isEqualTo(2);
        store.ended(consumer, second);
        assertThat(store.started(consumer, second)).isEqualTo(2);
        assertThat(store.started(consumer, first)).isEqualTo(3);
        assertThat(store.started(consumer, new Start("notes-0", "18", first.by())))
                .isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void nothingIsCountedThatIsSurvived() {
        Start survivor = another("notes-0", "17");
        begin("notes-0", "17");
        begin("notes-0", "17");
        store.started(consumer, survivor);
        store.survived(consumer, survivor);
        store.survived(consumer, survivor);
        assertThat(begin("notes-0", "17")).isEqualTo(1);
    }

    @Tag("C1")
    @Test
    void survivalChangesNothingWhereSomethingElseWasBegun() {
        Start late = another("notes-0", "17");
        store.survived(consumer, late);
        store.started(consumer, late);
        begin("notes-0", "18");
        begin("notes-1", "17");
        store.survived(consumer, late);
        assertThat(begin("notes-0", "18")).isEqualTo(2);
        assertThat(begin("notes-1", "17")).isEqualTo(2);
    }

    @Tag("C1")
    @Test
    void survivalOfOneWhoIsLateLeavesTheStartsOfOthers() {
        Start late = another("notes-0", "17");
        Start owner = another("notes-0", "17");
        begin("notes-0", "17");
        store.started(consumer, late);
        assertThat(store.started(consumer, owner)).isEqualTo(3);
        store.survived(consumer, late);
        assertThat(begin("notes-0", "17")).isEqualTo(3);
    }

    @Tag("C1")
    @Test
    void startThatEndedHidesNoSurvival() {
        Start owner = another("notes-0", "17");
        Start late = another("notes-0", "17");
        begin("notes-0", "17");
        store.started(consumer, owner);
        store.started(consumer, late);
        store.ended(consumer, late);
        store.survived(consumer, owner);
        assertThat(begin("notes-0", "17")).isEqualTo(1);
    }

    @Test
    void longestNamesAreKeptApart() {
        String longest = "é".repeat(299);
        begin(longest + "a", longest + "a");

        assertThat(begin(longest + "b", longest + "a")).isEqualTo(1);
        assertThat(begin(longest + "a", longest + "a")).isEqualTo(2);
        assertThat(begin(longest + "a", longest + "b")).isEqualTo(1);
    }

    @Test
    void startsAtTheSameTimeAreAllCounted() throws Exception {
        List<Integer> counts = threads.together(8, thread -> begin("notes-0", "17"));

        assertThat(counts).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8);
    }
}
