package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.archive.ArchivedDay;
import io.pigeonhole.core.archive.ArchivedStore;
import io.pigeonhole.core.archive.HistoryArchive;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.postgresql.PostgresOldDays;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One thing that cannot be forgotten, on PostgreSQL, stops nothing else. */
@OnEmbeddedServer
@Tag("D5")
class StuckUpkeepIT {
    private final LocalDate oldest = LocalDate.now(ZoneOffset.UTC).minusDays(20);
    private final AtomicLong nanos = new AtomicLong();
    private final Workshop workshop;
    private final JdbcStore store;

    StuckUpkeepIT(PostgresServer server) {
        workshop = server.schema();
        store = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(2))
                .nanos(nanos::get)
                .build();
        for (int i = 0; i < 2; i++) {
            addDay("inbox_history", oldest.plusDays(i));
            addDay("inbox_ledger", oldest.plusDays(i));
        }
        workshop.execute("INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms,"
                + " error_class, message, stack) VALUES (1, gen_random_uuid(), 1, 'n', '2020-01-01', 1, '', '', '')");
        workshop.execute("INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                + " VALUES ('2020-01-01', 'ann', 'a test', 'PAUSE', 'c', '', 1)");
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void daysThatSomebodysObjectsNeedStayAndAllElseIsForgotten() {
        workshop.execute("CREATE VIEW of_a_day AS SELECT count(*) FROM " + history(0));
        workshop.execute(
                "CREATE TABLE referring (c smallint, k uuid, FOREIGN KEY (c, k) REFERENCES " + ledger(0) + ")");

        retireAll(store);

        assertThat(isThere(history(0))).isTrue();
        assertThat(isThere(ledger(0))).isTrue();
        assertThat(isThere(history(1))).isFalse();
        assertThat(isThere(ledger(1))).isFalse();
        assertThat(rows("inbox_attempt")).isEqualTo("0");
        assertThat(rows("inbox_audit")).isEqualTo("0");
    }

    @Test
    void dayThatCouldNotGoGoesOnceNothingNeedsIt() {
        workshop.execute("CREATE VIEW of_a_day AS SELECT count(*) FROM " + history(0));
        retireAll(store);
        workshop.execute("DROP VIEW of_a_day");
        retireAll(store);
        assertThat(isThere(history(0))).as("not tried at each call").isTrue();

        nanos.addAndGet(Duration.ofMinutes(30).toNanos());
        retireAll(store);

        assertThat(isThere(history(0))).isFalse();
    }

    @Test
    void dayThatAForeignKeyToTheLedgerNeedsStopsNoOther() {
        workshop.execute("CREATE TABLE referring (c smallint, k uuid, FOREIGN KEY (c, k) REFERENCES inbox_ledger)");
        workshop.execute("INSERT INTO inbox_ledger VALUES (1, '" + firstKey(oldest) + "', now())");
        workshop.execute("INSERT INTO referring VALUES (1, '" + firstKey(oldest) + "')");

        retireAll(store);

        assertThat(isThere(ledger(0))).isTrue();
        assertThat(isThere(ledger(1))).isFalse();
        assertThat(isThere(history(0))).isFalse();
    }

    @Test
    void rowsThatATriggerDoesNotLetGoStopNothingElse() {
        workshop.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE EXCEPTION ''kept for the auditors''; END'");
        workshop.execute("CREATE TRIGGER kept BEFORE DELETE ON inbox_attempt FOR EACH ROW EXECUTE FUNCTION refuse()");

        retireAll(store);

        assertThat(rows("inbox_attempt")).isEqualTo("1");
        assertThat(rows("inbox_audit")).isEqualTo("0");
    }

    @Test
    void dayThatTheArchiveThrowsAtStopsNothingElse(@TempDir Path directory) {
        var lines = JsonLinesArchive.in(directory);
        JdbcStore archiving = JdbcStore.builder(workshop.dataSource())
                .historyRetention(Duration.ofDays(2))
                .archive(new HistoryArchive() {
                    @Override
                    public ArchivedDay open(ArchivedStore owner, LocalDate day) throws IOException {
                        if (day.equals(oldest)) {
                            throw new IllegalStateException("no bucket for " + day);
                        }
                        return lines.open(owner, day);
                    }

                    @Override
                    public boolean contains(ArchivedStore owner, LocalDate day, long entries) throws IOException {
                        return lines.contains(owner, day, entries);
                    }
                })
                .build();

        retireAll(archiving);

        assertThat(isThere(history(0))).isTrue();
        assertThat(isThere(history(1))).isFalse();
        assertThat(isThere(ledger(1))).isFalse();
        assertThat(rows("inbox_audit")).isEqualTo("0");
    }

    private void addDay(String table, LocalDate day) {
        boolean ofHistory = table.equals("inbox_history");
        String from = ofHistory ? day + " 00:00:00+00" : firstKey(day);
        String to = ofHistory ? day.plusDays(1) + " 00:00:00+00" : firstKey(day.plusDays(1));
        workshop.execute("CREATE TABLE " + table + "_" + DateTimeFormatter.BASIC_ISO_DATE.format(day) + " PARTITION OF "
                + table + " FOR VALUES FROM ('" + from + "') TO ('" + to + "')");
    }

    private static String firstKey(LocalDate day) {
        return PostgresOldDays.bound("inbox_ledger", day);
    }

    private String history(int number) {
        return "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(oldest.plusDays(number));
    }

    private String ledger(int number) {
        return "inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(oldest.plusDays(number));
    }

    private boolean isThere(String table) {
        return workshop.ask("SELECT to_regclass('" + table + "')") != null;
    }

    private String rows(String table) {
        return workshop.ask("SELECT count(*) FROM " + table);
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }
}
