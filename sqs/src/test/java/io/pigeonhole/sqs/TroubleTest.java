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
class TroubleTest {
    private final AtomicLong now = new AtomicLong();
    private final List<Throwable> ends = new ArrayList<>();
    private final Trouble trouble = new Trouble("receiving", ends::add, now::get);

    private boolean warns() {
        return trouble.is(new IllegalStateException("the connection was reset"));
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void connectionThatComesAndGoesIsWarnedOfOnceInAMinute() {
        int warnings = 0;
        for (int i = 0; i < 1_200; i++) {
            warnings += warns() ? 1 : 0;
            trouble.isOver();
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
        assertThat(trouble.problem()).isNull();
        warns();
        assertThat(trouble.problem()).contains("receiving", "reset");
        trouble.isOver();
        assertThat(trouble.problem()).isNull();
        assertThat(ends).isEmpty();
    }

    @Test
    void callThatWorksAgainAfterItWasPointlessEndsTheTrouble() {
        warns();
        trouble.isPointless();
        trouble.isOver();
        after(Duration.ofMinutes(2));
        assertThat(warns()).as("a new error, and no old one that stays").isTrue();
    }

    @Test
    void errorThatWasPointlessInBetweenIsOneThatStays() {
        assertThat(warns()).isTrue();
        trouble.isPointless();
        assertThat(trouble.problem()).isNull();
        after(Duration.ofMinutes(9));
        assertThat(warns()).as("nobody knows that it has worked meanwhile").isFalse();
        assertThat(trouble.problem()).isNotNull();
    }

    @Test
    void callThatWorksAfterItWasPointlessIsToldOnce() {
        warns();
        trouble.isPointless();
        assertThat(trouble.isOver()).isTrue();
        assertThat(trouble.isOver()).isFalse();
    }

    @Test
    void refusalOfACallThatIsNotNeededNowStaysUntilOneSucceeds() {
        trouble.is(SqsSourceTest.refusal("AccessDenied"));
        trouble.isPointlessForNow();
        assertThat(trouble.problem()).contains("receiving");
        trouble.isOver();
        assertThat(trouble.problem()).isNull();
    }

    @Test
    void errorThatPassesIsOverWhenTheCallIsNotNeededNow() {
        warns();
        trouble.isPointlessForNow();
        assertThat(trouble.problem()).isNull();
    }
}
