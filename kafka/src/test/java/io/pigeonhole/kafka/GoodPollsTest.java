package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a member counts as accepted, and an error as over. */
@Tag("E5")
class GoodPollsTest {
    private final AtomicLong now = new AtomicLong();
    private final GoodPolls polls = new GoodPolls(now::get);

    private void after(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void recordIsEnough() {
        assertThat(polls.polled(true, true, true)).isTrue();
        assertThat(polls.hasWorked()).isTrue();
    }

    @Test
    void whatEndedConsumersIsOverWhenRecordsWereHandedOverOrAfterAMinute() {
        polls.polled(true, true, true);
        assertThat(polls.hasRecovered()).isFalse();
        polls.handedOver();
        assertThat(polls.hasRecovered()).isTrue();
        GoodPolls quiet = new GoodPolls(now::get);
        after(61);
        quiet.polled(false, true, true);
        assertThat(quiet.hasRecovered()).isTrue();
    }

    @Test
    void memberWithPartitionsIsAcceptedAfterAMinuteAlsoWhereAPollHasFailed() {
        after(40);
        polls.failed();
        after(21);
        assertThat(polls.polled(false, true, true)).isTrue();
        assertThat(polls.hasWorked()).isTrue();
    }

    @Test
    void memberWithoutPartitionsIsAcceptedAfterAMinuteWithoutAnError() {
        after(40);
        polls.failed();
        after(59);
        assertThat(polls.polled(false, false, true)).isTrue();
        assertThat(polls.hasWorked()).isFalse();
        after(2);
        polls.polled(false, false, true);
        assertThat(polls.hasWorked()).isTrue();
    }

    @Test
    void errorIsOverAtOnceOnlyWherePartitionsCanBeRead() {
        polls.failed();
        assertThat(polls.polled(false, true, true)).isTrue();
        assertThat(polls.polled(false, false, true)).isFalse();
        after(6);
        assertThat(polls.polled(false, false, true)).isTrue();
    }

    @Test
    void timeWithoutAConnectionSaysNothing() {
        after(300);
        assertThat(polls.polled(false, false, false)).isFalse();
        assertThat(polls.hasWorked()).isFalse();
        after(6);
        assertThat(polls.polled(false, false, true)).isTrue();
        assertThat(polls.hasWorked()).isFalse();
    }

    @Test
    void timeBeforeTheMemberHasJoinedItsGroupSaysNothing() {
        for (int i = 0; i < 30; i++) {
            after(10);
            assertThat(polls.polled(false, false, false)).isFalse();
        }
        assertThat(polls.hasWorked()).isFalse();
        after(59);
        polls.polled(false, false, true);
        assertThat(polls.hasWorked()).isFalse();
        after(2);
        polls.polled(false, false, true);
        assertThat(polls.hasWorked()).isTrue();
    }

    @Test
    void timeInWhichNoneOfItsTopicsExistsSaysNothingOfWhetherTheMemberIsAccepted() {
        for (int i = 0; i < 30; i++) {
            after(10);
            polls.withoutTopics();
            assertThat(polls.polled(false, false, true)).isTrue();
        }
        assertThat(polls.hasJoined()).isTrue();
        assertThat(polls.hasWorked()).isFalse();
        assertThat(polls.hasRecovered()).isFalse();
        after(61);
        polls.polled(false, false, true);
        assertThat(polls.hasWorked()).isTrue();
    }
}
