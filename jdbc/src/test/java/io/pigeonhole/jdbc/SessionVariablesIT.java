package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.dialect.LedgerDay;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server, a login or a URL of MariaDB sets for all sessions stops no upkeep. */
@Tag("D5")
class SessionVariablesIT {
    private static final String SET =
            "SELECT CONCAT_WS(' ', @@alter_algorithm, @@tx_read_only, @@sql_safe_updates, @@lock_wait_timeout)";

    private final LocalDate old = LocalDate.now(ZoneOffset.UTC).minusDays(5);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter_algorithm='INSTANT'",
                "alter_algorithm='NOCOPY'",
                "alter_algorithm='INPLACE'",
                "tx_read_only=1",
                "sql_safe_updates=1"
            })
    void daysComeAndGo(String variable) {
        try (Workshop workshop = MariaDbServers.embedded().schema();
                HikariDataSource pool = poolOfOne(workshop, variable)) {
            JdbcStore store =
                    JdbcStore.builder(pool).historyRetention(Duration.ofDays(2)).build();
            Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build()
                    .process(Message.builder("notes")
                            .id("a")
                            .type("note")
                            .payload("text")
                            .build());
            HistoryWantedMeanwhileIT.moveTo(old, MariaDbServers.embedded(), workshop);
            LocalDate last = lastOfLedger(workshop);
            takeAway(workshop, last);
            workshop.execute("UPDATE inbox_ledger_bounds SET oldest = x'" + hex(old.minusDays(5)) + "'");
            workshop.execute("UPDATE inbox_clock SET seen_at = seen_at - INTERVAL 2 HOUR,"
                    + " trusted_at = trusted_at - INTERVAL 2 HOUR");
            String before = ask(pool);

            while (store.retire().more()) {
                // The next piece.
            }
            store.maintain();

            assertThat(lastOfLedger(workshop)).isEqualTo(last);
            assertThat(workshop.ask("SELECT HEX(newest) FROM inbox_ledger_bounds"))
                    .isEqualToIgnoringCase(hex(last.plusDays(1)));
            assertThat(workshop.ask("SELECT HEX(oldest) FROM inbox_ledger_bounds"))
                    .isNotEqualToIgnoringCase(hex(old.minusDays(5)));
            assertThat(days(workshop, "inbox_history")).doesNotContain(old).contains(last);
            assertThat(ask(pool)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tx_read_only=1", "sql_safe_updates=1"})
    void clockCanBeConfirmed(String variable) {
        try (Workshop workshop = MariaDbServers.embedded().schema();
                HikariDataSource pool = poolOfOne(workshop, variable)) {
            JdbcStore store = JdbcStore.create(pool);
            workshop.execute("UPDATE inbox_clock SET trusted_at = trusted_at - INTERVAL 3 DAY");

            assertThat(store.admin().confirmClock(new Author("ann", "a test")).kind())
                    .isEqualTo(Answer.Kind.DONE);
        }
    }

    private static HikariDataSource poolOfOne(Workshop workshop, String variable) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(
                workshop.server().dataSource(workshop.url().replace("time_zone=", variable + ",time_zone=")));
        pool.setMaximumPoolSize(1);
        return pool;
    }

    private static String ask(HikariDataSource pool) {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(SET)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(SET, e);
        }
    }

    private static void takeAway(Workshop workshop, LocalDate day) {
        String name = "p" + DateTimeFormatter.BASIC_ISO_DATE.format(day);
        workshop.execute("ALTER TABLE inbox_ledger DROP PARTITION " + name);
        workshop.execute("ALTER TABLE inbox_history DROP PARTITION " + name);
        workshop.execute("UPDATE inbox_ledger_bounds SET newest = x'" + hex(day) + "'");
    }

    private static LocalDate lastOfLedger(Workshop workshop) {
        List<LocalDate> days = days(workshop, "inbox_ledger");
        return days.get(days.size() - 1);
    }

    private static List<LocalDate> days(Workshop workshop, String table) {
        return workshop
                .askAll(
                        "SELECT SUBSTR(partition_name, 2) FROM information_schema.partitions"
                                + " WHERE table_schema = DATABASE() AND table_name = ? AND partition_name LIKE 'p2%' ORDER BY 1",
                        table)
                .stream()
                .map(name -> LocalDate.parse(name, DateTimeFormatter.BASIC_ISO_DATE))
                .toList();
    }

    private static String hex(LocalDate day) {
        return HexFormat.of().formatHex(LedgerDay.firstKey(day));
    }
}
