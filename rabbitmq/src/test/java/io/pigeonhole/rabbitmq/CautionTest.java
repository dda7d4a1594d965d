package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.rabbitmq.Caution.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("E1")
class CautionTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofSeconds(3);

    private final Caution caution = new Caution(500, PAUSE);

    @Test
    void firstSubscriptionTakesAllThatItMayInThreeSteps() {
        assertThat(caution.isCareful()).isFalse();
        assertThat(caution.proofOf(caution.first())).isEqualTo(1);
        assertThat(caution.more(1)).isEqualTo(8);
        assertThat(caution.proofOf(8)).isEqualTo(8);
        assertThat(caution.more(8)).isEqualTo(64);
        assertThat(caution.proofOf(64)).isEqualTo(64);
        assertThat(caution.more(64)).isEqualTo(500);
    }

    @Test
    void laterSubscriptionIsCarefulAndBeginsAtOnceWhereTheLastOneAchievedSomething() {
        caution.ended(500, true, SHORT, null);
        assertThat(caution.isCareful()).isTrue();
        assertThat(caution.trial()).isZero();
    }

    @Test
    void moreIsTakenBesideWhatIsSlowLaterAfterEachEnd() {
        Duration minutes = Duration.ofMinutes(4);
        assertThat(caution.timeout()).isEqualTo(Duration.ofSeconds(5));
        caution.ended(500, true, minutes, null);
        assertThat(caution.timeout()).isEqualTo(Duration.ofSeconds(5));
        caution.ended(62, true, minutes, null);
        assertThat(caution.timeout()).isEqualTo(Duration.ofSeconds(10));
        for (int end = 0; end < 20; end++) {
            caution.ended(1, true, minutes, null);
        }
        assertThat(caution.timeout()).isEqualTo(Duration.ofMinutes(1));
        caution.ended(500, true, Duration.ofMinutes(6), null);
        assertThat(caution.timeout()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void patienceIsOverWithinAQuarterOfALifeUntilConnectionsWereLostTenTimesInARow() {
        Duration life = Duration.ofSeconds(40);
        for (int end = 0; end < 10; end++) {
            caution.ended(8, true, life, null);
            assertThat(caution.timeout()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
        }
        caution.ended(8, true, SHORT, null);
        assertThat(caution.timeout()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void patienceIsFiveSecondsHoweverShortConnectionsAre() {
        for (int end = 0; end < 10; end++) {
            caution.ended(8, true, SHORT, null);
            assertThat(caution.timeout()).isEqualTo(Duration.ofSeconds(5));
        }
    }

    @Test
    void moreIsTakenStepByStepAndSlowlyBeyondAnEighthOfWhatTheLastOneHad() {
        caution.ended(500, true, SHORT, null);
        assertThat(caution.more(1)).isEqualTo(8);
        assertThat(caution.more(8)).isEqualTo(62);
        assertThat(caution.proofOf(8)).isEqualTo(8);
        assertThat(caution.proofOf(62)).isEqualTo(16 * 62);
        assertThat(caution.more(62)).isEqualTo(496);
        assertThat(caution.more(496)).isEqualTo(500);
    }

    @Test
    void afterThreeEndsAMessageThatEndsItsConnectionComesAlone() {
        caution.ended(500, true, SHORT, null);
        caution.ended(62, true, SHORT, null);
        caution.ended(7, true, SHORT, null);
        assertThat(caution.proofOf(1)).isEqualTo(16);
    }

    @Test
    void connectionHasToStayOpenForLongerEachTimeThatNothingIsAchieved() {
        for (int seconds = 1; seconds <= 32; seconds *= 2) {
            assertThat(caution.ended(500, false, SHORT, null)).isTrue();
            assertThat(caution.trial()).isEqualTo(Duration.ofSeconds(seconds));
        }
        caution.ended(500, false, SHORT, null);
        caution.ended(500, false, SHORT, null);
        assertThat(caution.trial()).isEqualTo(Duration.ofMinutes(1));
        caution.ended(500, true, SHORT, null);
        assertThat(caution.trial()).isZero();
    }

    @Test
    void networkThatCutsInTheTrialMakesTheTrialShorterAndCostsNoRetry() {
        caution.ended(500, false, SHORT, null);
        caution.ended(500, false, SHORT, null);
        caution.lostInTrial();
        assertThat(caution.trial()).isEqualTo(PAUSE);
        caution.lostInTrial();
        caution.lostInTrial();
        assertThat(caution.trial()).isZero();
    }

    @Test
    void queueWhoseMessageTheClientCannotReadIsGivenUpAfterTwoRetries() {
        assertThat(caution.ended(500, false, SHORT, Fault.UNREADABLE)).isTrue();
        assertThat(caution.ended(500, false, SHORT, Fault.UNREADABLE)).isTrue();
        assertThat(caution.ended(500, false, SHORT, Fault.UNREADABLE)).isFalse();
    }

    @Test
    void queueThatEndsConnectionsBeforeItsFirstDeliveryIsGivenUpAfterFiveRetriesInARow() {
        for (int retry = 0; retry < 5; retry++) {
            assertThat(caution.ended(500, false, SHORT, Fault.LOST_BEFORE_DELIVERY))
                    .isTrue();
        }
        caution.ended(500, true, SHORT, Fault.LOST_BEFORE_DELIVERY);
        for (int retry = 0; retry < 5; retry++) {
            assertThat(caution.ended(500, false, SHORT, Fault.LOST_BEFORE_DELIVERY))
                    .isTrue();
        }
        assertThat(caution.ended(500, false, SHORT, Fault.LOST_BEFORE_DELIVERY)).isFalse();
    }

    @Test
    void idleQueueWhoseConnectionsAreLostIsNeverGivenUp() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(caution.ended(500, false, SHORT, null)).isTrue();
        }
    }

    @Test
    void refusalsAreAskedForLessAndLessOftenUntilOneIsLetIn() {
        assertThat(caution.refused()).isEqualTo(PAUSE);
        assertThat(caution.refused()).isEqualTo(Duration.ofSeconds(2));
        for (int i = 0; i < 100; i++) {
            caution.refused();
        }
        assertThat(caution.refused()).isEqualTo(Duration.ofMinutes(1));
        caution.begun();
        assertThat(caution.refused()).isEqualTo(PAUSE);
    }

    @Test
    void afterThreeRequestsThatTheBrokerMayHaveKeptEachConnectionHasToStayOpenForFiveMinutes() {
        caution.leftUnanswered();
        caution.leftUnanswered();
        assertThat(caution.trial()).isZero();
        caution.leftUnanswered();
        assertThat(caution.trial()).isEqualTo(Duration.ofMinutes(5));
        caution.lostInTrial();
        assertThat(caution.trial()).isEqualTo(Duration.ofMinutes(5));
        caution.begun();
        assertThat(caution.trial()).isZero();
    }

    @Test
    void pauseThatIsLongerThanAMinuteIsNotShortened() {
        Caution slow = new Caution(500, Duration.ofDays(365));
        assertThat(slow.refused()).isEqualTo(Duration.ofDays(365));
        assertThat(slow.refused()).isEqualTo(Duration.ofDays(365));
    }
}
