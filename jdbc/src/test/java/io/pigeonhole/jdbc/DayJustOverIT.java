package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.store.HistoryDays;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On MariaDB a message gets the time of its history before it is recorded, and no transaction shows that it will come. */
@Tag("E6")
class DayJustOverIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void dayThatEndedAMomentAgoMayStillGetMessages(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            Instant now = Instant.now();
            LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
            Instant midnight = today.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
            DatabaseServer.MovableClock clock = server.clock(workshop);
            HistoryDays days = JdbcStore.create(clock.dataSource()).historyDays();

            clock.advance(Duration.between(now, midnight.plusSeconds(1)));
            assertThat(days.isSettled(today)).isFalse();

            clock.advance(Duration.ofSeconds(30));
            assertThat(days.isSettled(today)).isTrue();
        }
    }
}
