package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often somebody is warned. */
@Tag("E12")
class PollFailuresTest {
    private final AtomicLong now = new AtomicLong();
    private final PollFailures pollFailures = new PollFailures("the source", now::get);

    private boolean warns() {
        return pollFailures.is(new IllegalStateException("the connection was reset"), "it is tried again");
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void connectionThatComesAndGoesIsWarnedOfOnceInAMinute() {
        int warnings = 0;
        for (int i = 0; i < 1_200; i++) {
            warnings += warns() ? 1 : 0;
            pollFailures.isOver();
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
        assertThat(pollFailures.problem()).isNull();
        warns();
        assertThat(pollFailures.problem()).contains("reset");
        pollFailures.isOver();
        assertThat(pollFailures.problem()).isNull();
    }
}
