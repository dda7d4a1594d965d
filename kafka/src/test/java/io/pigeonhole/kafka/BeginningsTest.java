package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Partitions that begin while the database is away, slow, or does not let their beginnings be noted. */
@Tag("C1")
class BeginningsTest {
    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(100);

    private long now;
    private int asked;
    private int fetched;
    private Duration answer = ANSWER;
    private @Nullable ErrorClass refusal;
    private @Nullable TopicPartition locked;
    private boolean answerIsLost;
    private final InMemoryStore memory = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", store(memory))
            .handle("text", PayloadDecoder.text(), (text, context) -> {})
            .build();
    private final DeliveryThreads deliveryThreads = DeliveryThreads.start("test", inbox, DeliverySettings.standard());
    private final Beginnings beginnings = new Beginnings(inbox.forSources(), 100, () -> now);
    private final List<Assignment> assignments = IntStream.range(0, 12)
            .mapToObj(number -> new Assignment(new TopicPartition("t", number), deliveryThreads.open()))
            .toList();

    /** Answers questions about beginnings after some time, or refuses them. */
    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> store(InMemoryStore store) {
        return (InboxStore<InMemoryContext>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (List.of("started", "survived").contains(method.getName())) {
                        asked++;
                        now += answer.toNanos();
                        if (refusal != null) {
                            throw new StoreException(refusal, "not now", null);
                        }
                        if (locked != null && ((Start) arguments[1]).what().equals("kafka " + locked)) {
                            throw new StoreException(ErrorClass.RETRY_NOW, "somebody has locked the row", null);
                        }
                    }
                    Object result;
                    try {
                        result = method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("started") && answerIsLost) {
                        throw new StoreException(ErrorClass.UNAVAILABLE, "the connection is lost", null);
                    }
                    return result;
                });
    }

    @AfterEach
    void close() {
        deliveryThreads.close(Duration.ofSeconds(5));
    }

    /** What the poll loop does with records of all partitions. */
    private void poll() {
        beginnings.tryAgain(assignments.stream().filter(Assignment::isRefused).toList());
        beginnings.polled();
        assignments.stream().filter(assignment -> !assignment.isRefused()).forEach(assignment -> {
            fetched++;
            beginnings.of(assignment);
        });
        now += POLL.toNanos();
    }

    private long begun() {
        return assignments.stream()
                .filter(assignment -> assignment.beginning() != null)
                .count();
    }

    @Test
    void databaseThatIsAwayIsAskedOnceForAllPartitions() {
        refusal = ErrorClass.UNAVAILABLE;
        poll();
        assertThat(asked).isEqualTo(1);
        assertThat(begun()).isZero();
        assertThat(assignments).allMatch(Assignment::isRefused);
    }

    @Test
    void databaseThatIsAwayTakesHalfTheTimeOfThePollThreadAtMost() {
        refusal = ErrorClass.UNAVAILABLE;
        long polls = 0;
        for (long end = Duration.ofMinutes(10).toNanos(); now < end; polls++) {
            poll();
        }
        assertThat(ANSWER.multipliedBy(asked)).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
        assertThat(polls).isGreaterThanOrEqualTo(10L * asked);
    }

    @Test
    void partitionsBeginWhenTheDatabaseIsBack() {
        refusal = ErrorClass.UNAVAILABLE;
        poll();
        refusal = null;
        answer = Duration.ZERO;
        now += ANSWER.toNanos();
        poll();
        assertThat(assignments)
                .extracting(assignment -> assignment.beginning())
                .containsOnly(new Assignment.Beginning(1));
        assertThat(assignments).noneMatch(Assignment::isRefused);
    }

    @Test
    void recordsAreNotFetchedAgainWhileTheDatabaseLetsNothingBegin() {
        refusal = ErrorClass.UNAVAILABLE;
        answer = Duration.ZERO;
        for (long end = Duration.ofMinutes(10).toNanos(); now < end; ) {
            poll();
        }
        assertThat(asked).isGreaterThan(100);
        assertThat(fetched).isEqualTo(assignments.size());
    }

    @Test
    void partitionWhoseBeginningIsLockedHoldsBackNoOther() {
        answer = Duration.ZERO;
        locked = assignments.get(0).partition();
        for (long end = Duration.ofMinutes(1).toNanos(); now < end; ) {
            poll();
        }
        assertThat(begun()).isEqualTo(assignments.size() - 1);
        assertThat(assignments.get(0).isRefused()).isTrue();
    }

    /** What is taken during a pause is handed to no handler, so that no process can die of it. */
    @Test
    void processesThatAreKilledWhileTheConsumerIsPausedAreNotCounted() {
        answer = Duration.ZERO;
        memory.paused("test", true);
        for (int killed = 0; killed < 4; killed++) {
            assertThat(countOfNextMember()).isEqualTo(-1);
        }
        poll();
        assertThat(begun()).isZero();
        assertThat(assignments).allMatch(Assignment::isRefused);

        memory.paused("test", false);
        now += ANSWER.toNanos();
        poll();
        assertThat(assignments)
                .extracting(assignment -> assignment.beginning())
                .containsOnly(new Assignment.Beginning(1));
    }

    @Test
    void slowDatabaseIsAskedForOnePartitionBetweenTwoPolls() {
        poll();
        assertThat(begun()).isEqualTo(1);
        now += ANSWER.toNanos();
        poll();
        assertThat(begun()).isEqualTo(2);
    }

    @Test
    void slowDatabaseIsNotAway() {
        poll();
        assertThat(begun()).isEqualTo(1);
        assertThat(assignments).noneMatch(Assignment::isRefused);
        poll();
        assertThat(begun()).isEqualTo(2);
    }

    @Test
    void databaseThatAnswersAtOnceLetsAllPartitionsBeginTogether() {
        answer = Duration.ZERO;
        poll();
        assertThat(begun()).isEqualTo(assignments.size());
    }

    @Test
    void databaseThatIsAwayIsNotToldWhatIsSurvivedMoreThanHalfOfTheTime() {
        answer = Duration.ZERO;
        poll();
        answer = Duration.ofSeconds(30);
        refusal = ErrorClass.UNAVAILABLE;
        asked = 0;
        for (long end = now + Duration.ofMinutes(10).toNanos(); now < end; now += POLL.toNanos()) {
            beginnings.polled();
            beginnings.survived(assignments, assignment -> true);
        }
        assertThat(answer.multipliedBy(asked)).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
    }

    @Test
    void databaseThatDoesNotLetBeginningsBeNotedHoldsNothingBackForGood() {
        refusal = ErrorClass.UNKNOWN;
        answer = Duration.ZERO;
        for (int poll = 0; poll < 50; poll++) {
            poll();
        }
        assertThat(assignments)
                .extracting(assignment -> assignment.beginning())
                .containsOnly(new Assignment.Beginning(0));
    }

    /** How many times in a row the first partition was begun, as the next member counts it. */
    private int countOfNextMember() {
        Assignment assignment = new Assignment(assignments.get(0).partition(), deliveryThreads.open());
        Assignment.Beginning beginning = new Beginnings(inbox.forSources(), 100, () -> now).of(assignment);
        return beginning == null ? -1 : beginning.starts();
    }

    @Test
    void beginningWhoseAnswerWasLostIsCountedOnce() {
        answerIsLost = true;
        poll();
        assertThat(begun()).isZero();
        answerIsLost = false;
        answer = Duration.ZERO;
        now += ANSWER.toNanos();
        poll();
        assertThat(assignments.get(0).beginning()).isEqualTo(new Assignment.Beginning(1));
        assertThat(countOfNextMember()).isEqualTo(2);
    }

    @Test
    void memberThatIsLateDoesNotHideTheBeginningOfTheNewOwner() {
        answer = Duration.ZERO;
        beginnings.of(assignments.get(0));
        assertThat(countOfNextMember()).isEqualTo(2);
        beginnings.survived(assignments, assignment -> true);
        assertThat(countOfNextMember()).isEqualTo(2);
    }

    @Test
    void memberThatSurvivesIsTheEndOfTheBeginningsBefore() {
        answer = Duration.ZERO;
        countOfNextMember();
        countOfNextMember();
        assertThat(beginnings.of(assignments.get(0))).isEqualTo(new Assignment.Beginning(3));
        beginnings.survived(assignments, assignment -> true);
        assertThat(countOfNextMember()).isEqualTo(1);
    }
}
