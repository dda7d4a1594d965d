package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PaceTest {
    private final Pace pace = new Pace(Duration.ofMinutes(1));

    private void lookInVainUntilThePauseIsLong() {
        for (int i = 0; i < 12; i++) {
            pace.looked(false);
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void looksThatFindNothingUntilThenDoNotForgetWhenSomethingIsDue() throws InterruptedException {
        pace.lookIn(Duration.ofMillis(300));
        lookInVainUntilThePauseIsLong();

        assertThat(pace.await()).isEqualTo(Pace.Reason.TIME_TO_LOOK);
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void nudgeEndsAPauseWithoutALook() throws InterruptedException {
        lookInVainUntilThePauseIsLong();
        pace.nudge();

        assertThat(pace.await()).isEqualTo(Pace.Reason.NUDGED);
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void whatIsDueAtOnceIsLookedForAtOnce() throws InterruptedException {
        pace.lookIn(Duration.ofMillis(20));
        lookInVainUntilThePauseIsLong();
        pace.lookIn(Duration.ZERO);

        assertThat(pace.await()).isEqualTo(Pace.Reason.TIME_TO_LOOK);
    }
}
