package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.retention.RetentionSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is remembered is remembered for as long as {@code docs/retention.md} says, unless somebody sets something else. */
@Tag("M37")
class RetentionDefaultsTest {
    @Test
    void defaultsAreThoseOfThePage() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "retention.md"));
        RetentionSettings standard = RetentionSettings.STANDARD;
        Map<String, Duration> settings = Map.of(
                "window", standard.window(),
                "historyRetention", standard.history(),
                "attemptRetention", standard.attempts(),
                "auditRetention", standard.audit(),
                "replayRetention", standard.replays());

        settings.forEach(
                (name, duration) -> assertThat(page).contains("| `" + name + "` | " + duration.toDays() + " days"));
        assertThat(standard.window()).isEqualTo(Duration.ofDays(7));
    }
}
