package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a topic counts as missing, how often the brokers are asked for it, and how often somebody is warned. */
@Tag("E5")
class MissingTopicsTest {
    private static final Duration POLL = Duration.ofMillis(100);

    private final List<String> warnings = new ArrayList<>();
    private final Map<String, RuntimeException> failures = new HashMap<>();
    private boolean answers = true;
    private int questions;
    private boolean closed;
    private long now;
    private final MissingTopics topics =
            new MissingTopics(List.of("t", "u", "t"), this::describe, () -> closed = true, () -> now, warnings::add);

    private Map<String, CompletableFuture<?>> describe(Collection<String> asked) {
        questions++;
        Map<String, CompletableFuture<?>> all = new HashMap<>();
        for (String topic : asked) {
            RuntimeException failure = failures.get(topic);
            all.put(
                    topic,
                    !answers
                            ? new CompletableFuture<>()
                            : failure == null
                                    ? CompletableFuture.completedFuture(topic)
                                    : CompletableFuture.failedFuture(failure));
        }
        return all;
    }

    private void missing(String... names) {
        failures.clear();
        for (String name : names) {
            failures.put(name, new UnknownTopicOrPartitionException(name));
        }
    }

    /** What the poll loop does. */
    private void poll(Duration time) {
        for (long end = now + time.toNanos(); now < end; now += POLL.toNanos()) {
            topics.look();
        }
    }

    @Test
    void topicsThatAreThereAreAskedForAtTheStartAndEveryHalfMinute() {
        poll(Duration.ofMinutes(5));

        assertThat(topics.problems()).isEmpty();
        assertThat(topics.areAll()).isFalse();
        assertThat(warnings).isEmpty();
        assertThat(questions).isEqualTo(10);
    }

    @Test
    void topicIsMissingAfterTwoAnswersInARowAndIsThereAfterOne() {
        missing("u");
        poll(Duration.ofSeconds(4));
        assertThat(topics.problems()).isEmpty();
        poll(Duration.ofSeconds(3));
        assertThat(topics.problems()).containsExactly("topic 'u' is not there: create it or correct the name");
        assertThat(topics.areAll()).isFalse();

        missing();
        poll(Duration.ofSeconds(6));
        assertThat(topics.problems()).isEmpty();
    }

    @Test
    void topicThatOneBrokerDidNotKnowYetIsNotMissing() {
        missing("t");
        poll(POLL.multipliedBy(2));
        missing();
        poll(Duration.ofMinutes(1));
        missing("t");
        poll(Duration.ofSeconds(1));

        assertThat(topics.problems()).isEmpty();
        assertThat(warnings).isEmpty();
    }

    @Test
    void allAreMissing() {
        missing("t", "u");
        poll(Duration.ofSeconds(7));

        assertThat(topics.areAll()).isTrue();
        assertThat(topics.problems()).hasSize(2);
        assertThat(warnings).hasSize(2).allMatch(warning -> warning.contains("is not there"));
    }

    @Test
    void whatIsNotToldIsNoProblem() {
        failures.put("t", new TopicAuthorizationException("t"));
        failures.put("u", new TimeoutException("nobody answers"));
        poll(Duration.ofMinutes(5));

        assertThat(topics.problems()).isEmpty();
        assertThat(warnings).isEmpty();
        assertThat(questions).isEqualTo(10);
    }

    @Test
    void answerThatDoesNotComeIsNotAskedForTwice() {
        answers = false;
        poll(Duration.ofMinutes(5));

        assertThat(questions).isEqualTo(1);
        assertThat(topics.problems()).isEmpty();
    }

    @Test
    void topicThatStaysAwayIsWarnedOfEveryTenMinutes() {
        missing("t");
        poll(Duration.ofMinutes(9));
        assertThat(warnings).hasSize(1);
        poll(Duration.ofMinutes(26));
        assertThat(warnings).hasSize(4);
    }

    @Test
    void topicThatComesAndGoesIsWarnedOfOnceAMinuteAtMost() {
        for (int i = 0; i < 20; i++) {
            missing("t");
            poll(Duration.ofSeconds(40));
            missing();
            poll(Duration.ofSeconds(10));
        }

        assertThat(warnings).hasSizeBetween(2, 17);
    }

    @Test
    void closesWhatAsks() {
        topics.close();
        assertThat(closed).isTrue();
    }
}
