package io.pigeonhole.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class MaintenanceWindowTest {
    @Test
    void windowHoldsItsBeginningAndNotItsEnd() {
        MaintenanceWindow window = new MaintenanceWindow(LocalTime.of(1, 0), LocalTime.of(4, 0), ZoneOffset.UTC);

        assertThat(window.contains(Instant.parse("2027-01-01T00:59:59.999Z"))).isFalse();
        assertThat(window.contains(Instant.parse("2027-01-01T01:00:00Z"))).isTrue();
        assertThat(window.contains(Instant.parse("2027-01-01T03:59:59.999Z"))).isTrue();
        assertThat(window.contains(Instant.parse("2027-01-01T04:00:00Z"))).isFalse();
    }

    @Test
    void windowMayGoOverMidnightInItsOwnZone() {
        MaintenanceWindow window =
                new MaintenanceWindow(LocalTime.of(22, 0), LocalTime.of(2, 0), ZoneId.of("Asia/Kathmandu"));

        assertThat(window.contains(Instant.parse("2027-01-01T16:14:59Z"))).isFalse();
        assertThat(window.contains(Instant.parse("2027-01-01T16:15:00Z"))).isTrue();
        assertThat(window.contains(Instant.parse("2027-01-01T20:14:59Z"))).isTrue();
        assertThat(window.contains(Instant.parse("2027-01-01T20:15:00Z"))).isFalse();
    }

    @Test
    void emptyWindowIsRefused() {
        assertThatThrownBy(() -> new MaintenanceWindow(LocalTime.NOON, LocalTime.NOON, ZoneOffset.UTC))
                .hasMessageContaining("is empty");
    }
}
