package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.jackson.JsonLinesArchive;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
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

    static Stream<DatabaseServer> servers() {
        return Stream.concat(Stream.of(H2Server.FILES), MariaDbServers.all());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void exportOfADayThatEndedAMomentAgoSaysSoAndWhenToTryAgain(DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            Instant now = Instant.now();
            LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
            Instant midnight = today.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
            DatabaseServer.MovableClock clock = server.clock(workshop);
            HistoryExport export =
                    HistoryExport.of(JdbcStore.create(clock.dataSource()), JsonLinesArchive.in(directory));

            clock.advance(Duration.between(now, midnight.plusSeconds(1)));

            assertThatThrownBy(() -> export.export(today))
                    .isInstanceOf(RetryableException.class)
                    .hasMessageMatching(today + " has just ended, .* export it in (2[0-9]|1[5-9]) s");
        }
    }
}
