package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long commits of offsets have failed, over rebalances and without answers. */
@Tag("E12")
class CommitFailuresTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private long now;
    private long offset;
    private Answer answer = Answer.REFUSED;
    private @Nullable Runnable lateSuccess;
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", InMemoryStore.create())
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final Broker consumer = new Broker();
    private final Assignments assignments = new Assignments(
            new PollLoop.Settings(
                    "test",
                    List.of("t"),
                    new RecordMapper(Map.of(), "id", "type", "content"),
                    10,
                    0,
                    Duration.ZERO,
                    Duration.ZERO,
                    Duration.ZERO,
                    () -> now),
            consumer,
            deliveryThreads,
            null,
            null,
            null,
            null,
            new Beginnings(inbox.forSources(), 0, () -> now),
            () -> now);

    private enum Answer {
        REFUSED,
        GRANTED,
        NONE
    }

    /** Answers each commit in the way that the test has chosen. */
    private final class Broker extends MockConsumer<byte[], byte[]> {
        Broker() {
            super("earliest");
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            assertThat(callback).isNotNull();
            switch (answer) {
                case REFUSED -> callback.onComplete(offsets, new TopicAuthorizationException(Set.of("t")));
                case GRANTED -> callback.onComplete(offsets, null);
                case NONE -> lateSuccess = () -> callback.onComplete(offsets, null);
            }
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (answer != Answer.GRANTED) {
                throw new TopicAuthorizationException(Set.of("t"));
            }
        }
    }

    @AfterEach
    void close() {
        deliveryThreads.close(Duration.ofSeconds(5));
        consumer.close();
    }

    private void assign() {
        consumer.assign(List.of(PARTITION));
        assignments.onPartitionsAssigned(List.of(PARTITION));
        assignments.commitAsync();
    }

    private void revoke() {
        assignments.onPartitionsRevoked(List.of(PARTITION));
        consumer.assign(List.of());
        assignments.commitAsync();
    }

    private void lose() {
        assignments.onPartitionsLost(List.of(PARTITION));
        assignments.commitAsync();
    }

    /** One more record is finished, and its offset is to be committed. */
    private void finishRecord() {
        assignments.get(PARTITION).tracker().polledTo(new OffsetAndMetadata(++offset));
        assignments.commitAsync();
    }

    /** Time passes, and what can be committed is sent again and again. */
    private void after(int seconds) {
        for (int second = 0; second < seconds; second++) {
            now += Duration.ofSeconds(1).toNanos();
            poll();
            poll();
        }
    }

    private void poll() {
        assignments.commitFailures().polled();
        assignments.commitAsync();
    }

    private @Nullable String problem() {
        return assignments.commitFailures().problem();
    }

    @Test
    void rebalancesEveryFiftySecondsDoNotHideThatAllCommitsAreRefused() {
        assign();
        finishRecord();
        after(50);
        assertThat(problem()).isNull();
        revoke();

        assign();
        finishRecord();
        after(11);
        assertThat(problem()).contains("all commits", "61 s", "Not authorized");
    }

    @Test
    void refusedCommitOfARevocationIsNoSuccess() {
        assign();
        finishRecord();
        after(61);
        assertThat(problem()).isNotNull();
        revoke();

        assign();
        finishRecord();
        assertThat(problem()).contains("61 s");
    }

    @Test
    void partitionThatIsLostIsNoSuccess() {
        assign();
        finishRecord();
        after(61);
        lose();

        assign();
        finishRecord();
        assertThat(problem()).contains("61 s");
    }

    @Test
    void timeInWhichThereIsNothingToCommitDoesNotCount() {
        assign();
        finishRecord();
        after(30);
        revoke();
        after(3_600);
        assertThat(problem()).isNull();

        assign();
        finishRecord();
        after(29);
        assertThat(problem()).isNull();
        after(1);
        assertThat(problem()).contains("60 s");
    }

    @Test
    void memberThatHasNothingToCommitAnyMoreSaysNothing() {
        assign();
        finishRecord();
        after(61);
        assertThat(problem()).isNotNull();
        revoke();
        assertThat(problem()).isNull();
    }

    @Test
    void commitThatIsNotAnsweredCountsFromWhenItWasSent() {
        answer = Answer.NONE;
        assign();
        finishRecord();
        after(59);
        assertThat(problem()).isNull();
        after(1);
        assertThat(problem()).contains("not been answered for 60 s");

        assertThat(lateSuccess).isNotNull();
        lateSuccess.run();
        assertThat(problem()).isNull();
    }

    @Test
    void commitThatIsNotAnsweredGoesOnWithWhatWasRefusedBefore() {
        assign();
        finishRecord();
        after(50);
        answer = Answer.NONE;
        after(11);
        assertThat(problem()).contains("all commits", "61 s", "Not authorized");
    }

    /** Kafka tells the answer in a poll, and what keeps the thread from polling is another problem. */
    @Test
    void commitIsNotTakenForUnansweredWhereNobodyHasPolledForItsAnswer() {
        answer = Answer.NONE;
        assign();
        finishRecord();
        poll();
        poll();
        now += Duration.ofSeconds(70).toNanos();
        assertThat(problem()).isNull();
        poll();
        assertThat(problem()).as("the answer may be told by the next poll").isNull();

        assertThat(lateSuccess).isNotNull();
        lateSuccess.run();
        poll();
        assertThat(problem()).isNull();
    }

    @Test
    void timeInWhichNobodyHasPolledDoesNotCountWhereThenThereIsNothingToCommit() {
        assign();
        finishRecord();
        poll();
        poll();
        now += Duration.ofSeconds(70).toNanos();
        lose();

        assign();
        finishRecord();
        poll();
        poll();
        assertThat(problem()).isNull();
    }

    @Test
    void partitionThatIsLostBeforeThePollTakesNothingOffTheTimeBefore() {
        assign();
        finishRecord();
        after(59);
        lose();
        now += Duration.ofSeconds(5).toNanos();
        assign();
        finishRecord();
        lose();

        assign();
        finishRecord();
        poll();
        poll();
        after(1);
        assertThat(problem()).contains("60 s");
    }

    @Test
    void commitThatIsNotAnsweredInPollsBehindALongPauseIsMissing() {
        answer = Answer.NONE;
        assign();
        finishRecord();
        poll();
        now += Duration.ofSeconds(70).toNanos();
        poll();
        poll();
        assertThat(problem()).contains("not been answered for 70 s");
    }

    @Test
    void oneCommitThatSucceedsIsTheEndOfAllFailuresBefore() {
        assign();
        finishRecord();
        after(61);
        answer = Answer.GRANTED;
        after(1);
        assertThat(problem()).isNull();

        answer = Answer.REFUSED;
        finishRecord();
        after(59);
        assertThat(problem()).isNull();
        after(1);
        assertThat(problem()).contains("60 s");
    }

    @Test
    void commitOfARevocationThatSucceedsIsTheEndOfAllFailuresBefore() {
        assign();
        finishRecord();
        after(61);
        answer = Answer.GRANTED;
        revoke();
        answer = Answer.REFUSED;

        assign();
        finishRecord();
        assertThat(problem()).isNull();
    }
}
