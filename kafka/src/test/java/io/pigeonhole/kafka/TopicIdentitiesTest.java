package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Topics whose id the cluster does not tell. */
@Tag("C5")
class TopicIdentitiesTest {
    private static final Duration POLL = Duration.ofMillis(100);

    private final List<String> warnings = new ArrayList<>();
    private CompletableFuture<String> answer = CompletableFuture.failedFuture(new TopicAuthorizationException("t"));
    private int lookUps;
    private long now;
    private final TopicIdentities identities = new TopicIdentities(
            topic -> {
                lookUps++;
                return answer;
            },
            () -> {},
            () -> now,
            warnings::add);

    /** What the poll loop does. */
    private void poll(Duration time) {
        for (long end = now + time.toNanos(); now < end; now += POLL.toNanos()) {
            assertThat(identities.prefixOf("t")).isNull();
        }
    }

    @Test
    void missingRightIsWarnedOfOnceWithWhatToGrantAndWhatIsNotDone() {
        poll(Duration.ofMinutes(9));
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("'t'", "DESCRIBE", "on the cluster", "nothing", "is read");
    }

    @Test
    void missingRightThatLastsIsWarnedOfAgainAfterALongTime() {
        poll(Duration.ofMinutes(35));
        assertThat(warnings).hasSize(4);
    }

    @Test
    void clusterIsAskedLessAndLessOften() {
        poll(Duration.ofMinutes(10));
        assertThat(lookUps).isBetween(20, 35);
    }

    @Test
    void anotherReasonIsWarnedOfAtOnce() {
        poll(Duration.ofMinutes(1));
        answer = CompletableFuture.failedFuture(new TimeoutException("slow"));
        poll(Duration.ofMinutes(1));
        assertThat(warnings).hasSize(2);
        assertThat(warnings.get(1)).contains("slow").doesNotContain("grant");
    }

    @Test
    void rightThatIsGrantedIsNoticedWithinHalfAMinute() {
        poll(Duration.ofMinutes(5));
        answer = CompletableFuture.completedFuture("kafka:c/t/");
        now += Duration.ofSeconds(30).toNanos();
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/t/");
        answer = CompletableFuture.failedFuture(new TopicAuthorizationException("t"));
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/t/");
        identities.forget("t");
        poll(Duration.ofMinutes(1));
        assertThat(warnings).hasSize(2);
    }

    @Test
    void partitionThatIsAssignedAnewIsNoReasonToWarnAgain() {
        for (int rebalance = 0; rebalance < 10; rebalance++) {
            identities.forget("t");
            poll(Duration.ofSeconds(10));
        }
        assertThat(warnings).hasSize(1);
    }

    private TopicIdentities.Unidentified unidentified(String... topics) {
        return identities.unidentified(
                Stream.of(topics).map(topic -> new TopicPartition(topic, 0)).toList());
    }

    @Test
    void topicWhoseIdIsRefusedIsAProblemUntilItIsKnown() {
        poll(Duration.ofMinutes(1));
        assertThat(unidentified("t").areAll()).isTrue();
        assertThat(unidentified("t").problems()).singleElement().asString().contains("'t'", "DESCRIBE");

        answer = CompletableFuture.completedFuture("kafka:c/t/");
        now += Duration.ofSeconds(30).toNanos();
        assertThat(identities.prefixOf("t")).isNotNull();
        assertThat(unidentified("t").problems()).isEmpty();
    }

    @Test
    void topicWithoutAnAnswerIsAProblemAfterSomeSeconds() {
        answer = new CompletableFuture<>();
        poll(Duration.ofSeconds(2));
        assertThat(unidentified("t").problems()).isEmpty();
        poll(Duration.ofSeconds(2));
        assertThat(unidentified("t").problems()).singleElement().asString().contains("'t'", "4 s");
    }

    @Test
    void topicWhoseIdIsKnownIsReadBesideOneThatIsNot() {
        poll(Duration.ofMinutes(1));
        answer = CompletableFuture.completedFuture("kafka:c/u/");
        assertThat(identities.prefixOf("u")).isNotNull();
        assertThat(unidentified("t", "u").problems()).hasSize(1);
        assertThat(unidentified("t", "u").areAll()).isFalse();
        assertThat(unidentified("u").problems()).isEmpty();
    }

    /** What the poll loop does with a topic that is known. */
    private void askAgain(Duration time) {
        for (long end = now + time.toNanos(); now < end; now += POLL.toNanos()) {
            identities.askAgain();
        }
    }

    private void know(String prefix) {
        answer = CompletableFuture.completedFuture(prefix);
        assertThat(identities.prefixOf("t")).isEqualTo(prefix);
    }

    @Tag("F04")
    @Test
    void topicThatWasMadeAnewIsNoticedAfterSomeSeconds() {
        know("kafka:c/1/");
        answer = CompletableFuture.completedFuture("kafka:c/2/");
        askAgain(Duration.ofSeconds(4));
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/1/");
        askAgain(Duration.ofSeconds(2));
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/2/");
    }

    @Tag("F04")
    @Test
    void topicThatIsGoneIsNotKnownAnyMore() {
        know("kafka:c/1/");
        answer = CompletableFuture.failedFuture(new UnknownTopicOrPartitionException("gone"));
        askAgain(Duration.ofSeconds(6));
        assertThat(identities.prefixOf("t")).isNull();
        assertThat(warnings).singleElement().asString().contains("'t'", "gone");
    }

    @Test
    void brokerThatDoesNotAnswerMakesNoTopicUnknown() {
        know("kafka:c/1/");
        answer = CompletableFuture.failedFuture(new TimeoutException("slow"));
        askAgain(Duration.ofSeconds(21));
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/1/");
        assertThat(warnings).isEmpty();
        assertThat(lookUps).isBetween(4, 5);
        answer = new CompletableFuture<>();
        askAgain(Duration.ofMinutes(1));
        assertThat(lookUps).as("one question at a time").isBetween(5, 6);
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/1/");
    }

    @Test
    void answerToAQuestionFromBeforeAGapIsNotWaitedFor() {
        know("kafka:c/1/");
        CompletableFuture<String> late = new CompletableFuture<>();
        answer = late;
        askAgain(Duration.ofSeconds(6));
        identities.forgetAll(Set.of());
        answer = CompletableFuture.completedFuture("kafka:c/2/");
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/2/");
        late.complete("kafka:c/1/");
        askAgain(Duration.ofSeconds(4));
        assertThat(identities.prefixOf("t")).isEqualTo("kafka:c/2/");
    }
}
