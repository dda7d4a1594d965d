package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.dialect.LedgerDay;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the docs say of a wrong clock that was confirmed helps on MariaDB, where history and ledger begin later than today. */
@Tag("D6")
class WrongClockIT {
    private static final String DAYS = "SELECT partition_name FROM information_schema.partitions"
            + " WHERE table_schema = DATABASE() AND table_name = '%s' AND partition_name LIKE 'p%%' ORDER BY 1";

    private final LocalDate today = LocalDate.now(ZoneOffset.UTC);

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void ledgerBeginsAnewAfterAClockThatWasTwoMonthsAheadWasConfirmed(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            DatabaseServer.MovableClock clock = server.clock(workshop);
            JdbcStore store = JdbcStore.create(clock.dataSource());
            process(store, "one");
            clock.advance(Duration.ofDays(60));
            store.maintain();
            store.admin().confirmClock(new Author("ann", "it looked right"));
            while (store.retire().more()) {
                // The next piece.
            }
            process(store, "recorded ahead");
            clock.reset();

            beginLedgerAnew(workshop);

            assertThatItGoesOn(workshop);
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void ledgerBeginsAnewAfterAnInstallationWithAClockThatWasAhead(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            process(storeOfAClockAhead(server, workshop), "one");

            beginLedgerAnew(workshop);

            assertThatItGoesOn(workshop);
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void daysOfTheLedgerAreCreatedBeforeLaterOnes(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            process(storeOfAClockAhead(server, workshop), "one");

            moveBounds(workshop, today);

            assertThatItGoesOn(workshop);
        }
    }

    private JdbcStore storeOfAClockAhead(MariaDbServer server, Workshop workshop) {
        DatabaseServer.MovableClock clock = server.clock(workshop);
        clock.advance(Duration.ofDays(2));
        for (String table : List.of("inbox_ledger", "inbox_history")) {
            workshop.execute("ALTER TABLE " + table + " DROP PARTITION " + partition(today) + ", "
                    + partition(today.plusDays(1)));
        }
        moveBounds(workshop, today.plusDays(2));
        return JdbcStore.create(clock.dataSource());
    }

    private static String partition(LocalDate day) {
        return "p" + DateTimeFormatter.BASIC_ISO_DATE.format(day);
    }

    private void beginLedgerAnew(Workshop workshop) {
        for (String day : workshop.askAll(DAYS.formatted("inbox_ledger"))) {
            workshop.execute("ALTER TABLE inbox_ledger DROP PARTITION " + day);
        }
        moveBounds(workshop, today);
    }

    private static void moveBounds(Workshop workshop, LocalDate day) {
        String first = HexFormat.of().formatHex(LedgerDay.firstKey(day));
        workshop.execute("UPDATE inbox_ledger_bounds SET oldest = x'" + first + "', newest = x'" + first + "'");
    }

    private void assertThatItGoesOn(Workshop workshop) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        assertThat(process(store, "two")).isInstanceOf(Outcome.Processed.class);
        store.admin().confirmClock(new Author("ann", "it is right now"));
        assertThat(process(store, "two")).isInstanceOf(Outcome.Duplicate.class);

        List<String> days =
                today.datesUntil(today.plusDays(5)).map(WrongClockIT::partition).toList();
        assertThat(workshop.askAll(DAYS.formatted("inbox_ledger"))).startsWith(days.toArray(String[]::new));
        assertThat(workshop.askAll(DAYS.formatted("inbox_history"))).containsAll(days);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history PARTITION (" + days.get(0) + ")"
                        + " WHERE message_id = 'two'"))
                .isEqualTo("1");
    }

    private static Outcome process(JdbcStore store, String id) {
        return Inbox.builder("notes", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build()
                .process(Message.builder("notes")
                        .id(id)
                        .type("note")
                        .payload("text")
                        .build());
    }
}
