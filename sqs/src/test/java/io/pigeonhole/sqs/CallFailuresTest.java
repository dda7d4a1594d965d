package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often somebody is warned. */
@Tag("E12")
class CallFailuresTest {
    private final AtomicLong now = new AtomicLong();
    private final List<Throwable> ends = new ArrayList<>();
    private final CallFailures callFailures = new CallFailures("receiving", ends::add, now::get);

    private boolean warns() {
        return callFailures.is(new IllegalStateException("the connection was reset"));
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void connectionThatComesAndGoesIsWarnedOfOnceInAMinute() {
        int warnings = 0;
        for (int i = 0; i < 1_200; i++) {
            warnings += warns() ? 1 : 0;
            callFailures.isOver();
            after(Duration.ofMillis(100));
        }
        assertThat(warnings).isEqualTo(2);
    }

    @Test
    void errorThatStaysIsWarnedOfAtOnceAndThenEveryTenMinutes() {
        assertThat(warns()).isTrue();
        after(Duration.ofMinutes(9));
        assertThat(warns()).isFalse();
        after(Duration.ofMinutes(1));
        assertThat(warns()).isTrue();
    }

    @Test
    void lastErrorIsToldUntilACallSucceeds() {
        assertThat(callFailures.problem()).isNull();
        warns();
        assertThat(callFailures.problem()).contains("receiving", "reset");
        callFailures.isOver();
        assertThat(callFailures.problem()).isNull();
        assertThat(ends).isEmpty();
    }

    @Test
    void callThatWorksAgainAfterItWasPointlessEndsTheFailures() {
        warns();
        callFailures.isPointless();
        callFailures.isOver();
        after(Duration.ofMinutes(2));
        assertThat(warns()).as("a new error, and no old one that stays").isTrue();
    }

    @Test
    void errorThatWasPointlessInBetweenIsOneThatStays() {
        assertThat(warns()).isTrue();
        callFailures.isPointless();
        assertThat(callFailures.problem()).isNull();
        after(Duration.ofMinutes(9));
        assertThat(warns()).as("nobody knows that it has worked meanwhile").isFalse();
        assertThat(callFailures.problem()).isNotNull();
    }

    @Test
    void callThatWorksAfterItWasPointlessIsToldOnce() {
        warns();
        callFailures.isPointless();
        assertThat(callFailures.isOver()).isTrue();
        assertThat(callFailures.isOver()).isFalse();
    }

    @Test
    void refusalOfACallThatIsNotNeededNowStaysUntilOneSucceeds() {
        callFailures.is(SqsSourceTest.refusal("AccessDenied"));
        callFailures.isPointlessForNow();
        assertThat(callFailures.problem()).contains("receiving");
        callFailures.isOver();
        assertThat(callFailures.problem()).isNull();
    }

    @Test
    void errorThatPassesIsOverWhenTheCallIsNotNeededNow() {
        warns();
        callFailures.isPointlessForNow();
        assertThat(callFailures.problem()).isNull();
    }
}
