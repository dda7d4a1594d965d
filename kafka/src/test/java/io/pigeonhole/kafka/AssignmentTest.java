package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How far ahead of its oldest unfinished record a partition may be. */
class AssignmentTest {
    private static final int WINDOW = 10;

    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", InMemoryStore.create())
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final Assignment assignment = new Assignment(new TopicPartition("t", 0), deliveryThreads.open());
    private final List<OffsetTracker.Slot> slots = new ArrayList<>();

    @AfterEach
    void close() {
        deliveryThreads.close(Duration.ofSeconds(5));
    }

    private void add(int records) {
        for (int i = 0; i < records; i++) {
            slots.add(assignment.tracker().add(slots.size(), Optional.empty()));
        }
    }

    private boolean isFarAhead() {
        assignment.noteWindow(WINDOW);
        return assignment.isFarAhead();
    }

    /** Such as while the database is away, or while very many records of all partitions are unfinished. */
    @Test
    void partitionThatWasPausedForAnotherReasonHasItsWholeWindow() {
        add(WINDOW - 1);
        assignment.paused(true);
        assertThat(isFarAhead()).isFalse();
        add(1);
        assertThat(isFarAhead()).isTrue();
    }

    @Test
    void partitionWhoseWindowWasFullGoesOnBelowHalfOfIt() {
        add(WINDOW);
        assertThat(isFarAhead()).isTrue();
        for (int i = 0; i < WINDOW / 2; i++) {
            slots.get(i).settled(new Outcome.Processed());
        }
        assertThat(isFarAhead()).isTrue();
        slots.get(WINDOW / 2).settled(new Outcome.Processed());
        assertThat(isFarAhead()).isFalse();
    }
}
