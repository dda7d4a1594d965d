package io.pigeonhole.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.000000001S, 1 ns",
        "PT0.3S, 300 ms",
        "PT1.5S, 1 s 500 ms",
        "PT3M, 3 min",
        "PT59M59.999S, 59 min 59 s",
        "PT1H, 1 hour",
        "PT12H, 12 hours",
        "PT1H0M7S, 1 hour 7 s",
        "PT24H, 1 day",
        "PT337H, 14 days 1 hour",
        "PT-5S, -5 s"
    })
    void durationHasItsTwoLargestUnits(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @Test
    void longestAndShortestDurationHaveTexts() {
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE))).endsWith(" hours");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE))).startsWith("-");
    }

    @ParameterizedTest
    @CsvSource({"PT337H, 15 days", "PT336H, 14 days", "PT24H, 1 day", "PT1M, 1 hour", "PT23H0.001S, 1 day"})
    void numberThatIsEnoughIsRoundedUp(Duration duration, String text) {
        assertThat(DurationText.enoughFor(duration)).isEqualTo(text);
    }
}
