package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.inbox.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class OffsetTrackerTest {
    private static final Outcome PROCESSED = new Outcome.Processed();

    private final OffsetTracker tracker = new OffsetTracker();

    private OffsetTracker.Slot add(long offset) {
        return tracker.add(offset, Optional.empty());
    }

    private static OffsetAndMetadata at(long offset) {
        return new OffsetAndMetadata(offset, Optional.empty(), "");
    }

    @Test
    void nothingFinishedIsNothingToCommit() {
        assertThat(tracker.position()).isNull();
        add(5);
        assertThat(tracker.position()).isNull();
    }

    @Test
    void positionStaysBeforeTheOldestUnfinishedRecord() {
        OffsetTracker.Slot first = add(5);
        OffsetTracker.Slot second = add(6);
        OffsetTracker.Slot third = add(7);
        second.settled(PROCESSED);
        assertThat(tracker.position()).isNull();
        first.settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(at(7));
        third.settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(at(8));
    }

    @Tag("C1")
    @Test
    void recordsThatAnEarlierDeliveryHasFinishedAreNotCountedAsNew() {
        OffsetTracker.Slot first = add(5);
        OffsetTracker.Slot second = add(6);
        OffsetTracker.Slot third = add(7);
        third.settled(PROCESSED);
        second.settled(new Outcome.Duplicate());
        assertThat(tracker.finishedNew()).isZero();
        first.settled(PROCESSED);
        assertThat(tracker.finishedNew()).isEqualTo(2);
    }

    @Test
    void gapsOfCompactionAreNoObstacle() {
        OffsetTracker.Slot first = add(5);
        OffsetTracker.Slot second = add(900);
        first.settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(at(6));
        second.settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(at(901));
    }

    @Test
    void positionPassesMarkersOnlyWhenNothingIsUnfinished() {
        OffsetTracker.Slot first = add(5);
        tracker.polledTo(at(10));
        assertThat(tracker.position()).isNull();
        first.settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(at(10));
        OffsetTracker.Slot second = add(12);
        assertThat(tracker.position()).isEqualTo(at(10));
        second.settled(PROCESSED);
        tracker.polledTo(at(20));
        assertThat(tracker.position()).isEqualTo(at(20));
    }

    @Test
    void positionNeverGoesBack() {
        tracker.polledTo(at(10));
        assertThat(tracker.position()).isEqualTo(at(10));
        add(15).settled(PROCESSED);
        // The poll that brought 15 has not told yet where it ended.
        assertThat(tracker.position()).isEqualTo(at(16));
        assertThat(tracker.position()).isEqualTo(at(16));
    }

    @Test
    void leaderEpochOfTheLastFinishedRecordIsCommitted() {
        tracker.add(5, Optional.of(3)).settled(PROCESSED);
        tracker.add(6, Optional.of(4)).settled(PROCESSED);
        assertThat(tracker.position()).isEqualTo(new OffsetAndMetadata(7, Optional.of(4), ""));
    }

    @Test
    void offsetsThatGoBackAreRefused() {
        add(5);
        assertThat(tracker.follows(5)).isFalse();
        assertThat(tracker.follows(6)).isTrue();
        assertThatThrownBy(() -> add(5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void inWhateverOrderRecordsFinishThePositionIsTheOldestUnfinished() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<Integer> unfinished = new ArrayList<>();
        List<OffsetTracker.Slot> slots = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            slots.add(add(i));
            unfinished.add(i);
        }
        List<Integer> order = new ArrayList<>(unfinished);
        Collections.shuffle(order, random);
        for (int offset : order) {
            slots.get(offset).settled(PROCESSED);
            unfinished.remove(Integer.valueOf(offset));
            int expected = unfinished.isEmpty() ? 300 : unfinished.get(0);
            OffsetAndMetadata position = tracker.position();
            assertThat(position == null ? 0 : position.offset())
                    .as("seed %s", seed)
                    .isEqualTo(expected);
            assertThat(tracker.size()).as("seed %s", seed).isEqualTo(300 - expected);
        }
    }
}
