package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@OnEveryServer
class LedgerDaysIT {
    private static final String DAYS = "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
            + " WHERE i.inhparent = to_regclass(?) AND c.relname ~ '\\d{8}$' ORDER BY 1";

    private final Workshop workshop;

    LedgerDaysIT(PostgresServer server) {
        this.workshop = server.schema();
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void daysReachFromTodayToEightDaysAhead() {
        LocalDate today = today();
        List<String> expected = days("inbox_ledger_", today, 9);

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(expected);
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 9));
        assertThat(bounds("oldest")).isEqualTo(firstKey(today));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(9)));
    }

    @Test
    void maintenanceAddsTheDaysThatTheClockHasUncovered() {
        LocalDate today = today();
        shadowClock("interval '3 days'");

        storeWithShadowedClock().maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 12));
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 12));
        assertThat(bounds("oldest")).isEqualTo(firstKey(today));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(12)));
    }

    @Test
    void noDayOfTheLedgerIsLeftOutWhenNobodyWasThereForWeeks() {
        LocalDate today = today();
        shadowClock("interval '30 days'");

        storeWithShadowedClock().maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 39));
    }

    @Test
    void clockThatGoesBackNeverLowersTheBounds() {
        LocalDate today = today();
        shadowClock("interval '-5 days'");

        storeWithShadowedClock().maintain();

        assertThat(bounds("oldest")).isEqualTo(firstKey(today));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(9)));
    }

    @Test
    void numberOfDaysAheadCanBeSet() {
        LocalDate today = today();

        JdbcStore.builder(workshop.dataSource()).daysAhead(11).build().maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 12));
    }

    @Test
    void manyNodesMayMaintainAtOnce() {
        LocalDate today = today();
        JdbcStore store = JdbcStore.builder(workshop.dataSource()).daysAhead(12).build();

        List<CompletableFuture<Void>> nodes = Stream.generate(
                        () -> CompletableFuture.runAsync(store::maintain, OwnThread.FOR_EACH))
                .limit(6)
                .toList();

        nodes.forEach(CompletableFuture::join);
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 13));
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 13));
    }

    @Test
    void maintenanceWaitsForNoOpenTransactionAndHoldsNoClaimUp() throws Exception {
        JdbcStore store = JdbcStore.builder(workshop.dataSource()).daysAhead(10).build();
        RegisteredConsumer consumer = store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        MessageKey first = firstKey(today().plusDays(1));
        MessageKey second = new MessageKey(first.high(), 1);
        try (InboxTransaction<JdbcContext> open = store.begin(Duration.ofMinutes(1))) {
            open.claim(consumer, List.of(first), Duration.ofSeconds(10));

            CompletableFuture.runAsync(JdbcStore.builder(workshop.dataSource())
                            .daysAhead(14)
                            .build()::maintain)
                    .get(20, TimeUnit.SECONDS);
            try (InboxTransaction<JdbcContext> other = store.begin(Duration.ofMinutes(1))) {
                other.claim(consumer, List.of(second), Duration.ofSeconds(1));
                other.commit();
            }
            open.commit();
        }
        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("2");
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).hasSize(15);
    }

    @Test
    void dayThatTheHistoryLacksIsCreatedWhenAMessageIsRecorded() {
        Inbox<JdbcContext> inbox = recorder();
        workshop.askAll(DAYS, "inbox_history").forEach(day -> workshop.execute("DROP TABLE " + day));

        assertThat(inbox.process(List.of(message("a"), message("b"))))
                .extracting(Outcome::kind)
                .containsOnly(Outcome.Kind.PROCESSED);

        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("2");
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today(), 9));
    }

    @Test
    void noMessageIsToBlameWhereADayOfTheHistoryCannotBeCreated() {
        Inbox<JdbcContext> inbox = recorder();
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION inbox_history_"
                + DateTimeFormatter.BASIC_ISO_DATE.format(today()));

        assertThatThrownBy(() -> inbox.process(message("a")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("inbox_history_");

        assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).isEmpty();
    }

    @Test
    void dayOfTheHistoryThatAPersonDetachedStopsOnlyThoseWhoWriteIt() {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        Inbox<JdbcContext> recorder = inbox("recorder", store, HistoryMode.WITH_PAYLOAD);
        String ofToday = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(today());
        workshop.execute("ALTER TABLE inbox_history DETACH PARTITION " + ofToday);
        assertThatThrownBy(() -> recorder.process(message("a"))).hasMessageContaining("ATTACH PARTITION " + ofToday);

        assertThat(inbox("another", store, HistoryMode.NONE)
                        .process(message("a"))
                        .kind())
                .isEqualTo(Outcome.Kind.PROCESSED);
        assertThatThrownBy(() -> recorder.process(message("a")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("ATTACH PARTITION " + ofToday);
        LocalDate today = today();
        workshop.execute("ALTER TABLE inbox_history ATTACH PARTITION " + ofToday + " FOR VALUES FROM ('" + today
                + " 00:00:00+00') TO ('" + today.plusDays(1) + " 00:00:00+00')");
        assertThat(recorder.process(message("a")).kind()).isEqualTo(Outcome.Kind.PROCESSED);
    }

    @Test
    void comingDayOfTheHistoryWhoseNameIsTakenIsLeftOutAndTheOthersAreCreated() {
        LocalDate today = today();
        String taken = "inbox_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(10));
        workshop.execute("CREATE TABLE " + taken + " (restored text)");

        JdbcStore store = JdbcStore.builder(workshop.dataSource()).daysAhead(12).build();
        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        store.maintain();

        List<String> others = new ArrayList<>(days("inbox_history_", today, 13));
        others.remove(taken);
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(others);
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 13));
    }

    /** A ledger with a gap would refuse every claim of a batch with a key of that day. */
    @Test
    void ledgerEndsBeforeAComingDayWhoseNameIsTaken() {
        LocalDate today = today();
        String taken = "inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(10));
        workshop.execute("CREATE TABLE " + taken + " (restored text)");
        JdbcStore store = JdbcStore.builder(workshop.dataSource()).daysAhead(12).build();

        store.register(new ConsumerRegistration("payments", IdForm.TIME_ORDERED));
        store.maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 10));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(10)));
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 13));
        workshop.execute("DROP TABLE " + taken);
        store.maintain();
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 13));
    }

    @Test
    void comingDayThatAPersonCreatedIsTakenAsItIs() {
        LocalDate today = today();
        createInLedger(today.plusDays(9), today.plusDays(10));

        JdbcStore.builder(workshop.dataSource()).daysAhead(12).build().maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 13));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(13)));
    }

    @Test
    void ledgerEndsBeforeAComingDayThatAPersonCreatedWithOtherBounds() {
        LocalDate today = today();
        createInLedger(today.plusDays(9), today.plusDays(11));

        JdbcStore.builder(workshop.dataSource()).daysAhead(12).build().maintain();

        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(9)));
        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 13));
    }

    /** Every claim with a key of that day fails, and with it all others of its batch. */
    @Test
    void dayWithinTheLedgerThatSomebodyDroppedIsCreatedAnew() {
        Inbox<JdbcContext> inbox = inbox("payments", JdbcStore.create(workshop.dataSource()), HistoryMode.NONE);
        LocalDate today = today();
        workshop.execute("DROP TABLE inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today));
        workshop.execute("DROP TABLE inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(3)));

        JdbcStore.create(workshop.dataSource()).maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 9));
        assertThat(bounds("newest")).isEqualTo(firstKey(today.plusDays(9)));
        Message timed = Message.builder("notes")
                .id(new UUID((System.currentTimeMillis() + 60_000) << 16 | 0x7abcL, 0x8123456789abcdefL).toString())
                .type("note")
                .payload("text")
                .build();
        assertThat(inbox.process(timed).kind()).isEqualTo(Outcome.Kind.PROCESSED);
    }

    /** Messages of it may come as long as the ledger knows keys of that time. */
    @Test
    void daysWithinTheLedgerBeforeTodayThatSomebodyDroppedAreCreatedAnew() {
        LocalDate today = today();
        for (int i = 1; i <= 3; i++) {
            createInLedger(today.minusDays(i), today.minusDays(i - 1));
        }
        workshop.execute(
                "UPDATE inbox_ledger_bounds SET oldest = ?",
                firstKey(today.minusDays(3)).toUuid());
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        inbox("payments", store, HistoryMode.NONE);
        // Of an id with an earlier time it would keep a digest, since it may have been accepted before under one.
        workshop.execute("UPDATE inbox_consumer SET digest_below = 0");
        Inbox<JdbcContext> inbox = inbox("payments", store, HistoryMode.NONE);
        workshop.execute("DROP TABLE inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.minusDays(1)));
        workshop.execute("DROP TABLE inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.minusDays(2)));

        store.maintain();

        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today.minusDays(3), 12));
        Message ofYesterday = Message.builder("notes")
                .id(new UUID(firstKey(today.minusDays(1)).epochMillis() << 16 | 0x7abcL, 0x8123456789abcdefL)
                        .toString())
                .type("note")
                .payload("text")
                .build();
        assertThat(inbox.process(ofYesterday).kind()).isEqualTo(Outcome.Kind.PROCESSED);
    }

    @Test
    void dayWithinTheLedgerWhoseNameIsTakenIsLeftOut() {
        inbox("payments", JdbcStore.create(workshop.dataSource()), HistoryMode.NONE);
        LocalDate today = today();
        String detached = "inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(3));
        workshop.execute("ALTER TABLE inbox_ledger DETACH PARTITION " + detached);

        JdbcStore.builder(workshop.dataSource()).daysAhead(10).build().maintain();

        List<String> others = new ArrayList<>(days("inbox_ledger_", today, 11));
        others.remove(detached);
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(others);
    }

    private void createInLedger(LocalDate day, LocalDate end) {
        workshop.execute("CREATE TABLE inbox_ledger_" + DateTimeFormatter.BASIC_ISO_DATE.format(day)
                + " PARTITION OF inbox_ledger FOR VALUES FROM ('"
                + firstKey(day).toUuid() + "') TO ('"
                + firstKey(end).toUuid() + "')");
    }

    @Test
    void messageThatAConstraintOfTheHistoryRefusesIsADeadLetter() {
        Inbox<JdbcContext> inbox = recorder();
        workshop.execute("ALTER TABLE inbox_history ADD CONSTRAINT short_only CHECK (octet_length(payload) < 5)");

        inbox.process(List.of(message("a"), message("too long")));

        assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsExactly("NOT_STORED");
        assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
    }

    @Test
    @Tag("D9")
    void newDaysHaveWhatAUserAddedToTheirTable() {
        workshop.execute("ALTER TABLE inbox_history"
                + " ADD COLUMN size integer GENERATED ALWAYS AS (coalesce(octet_length(payload), 0)) STORED,"
                + " ADD COLUMN place text COLLATE \"C\" NOT NULL DEFAULT 'here' CHECK (place <> '')");
        workshop.execute("ALTER TABLE inbox_ledger ADD COLUMN accepted_on date"
                + " GENERATED ALWAYS AS (CAST(accepted_at AT TIME ZONE 'UTC' AS date)) STORED");
        workshop.execute("CREATE INDEX by_size ON inbox_history (size, place)");
        LocalDate today = today();

        JdbcStore.builder(workshop.dataSource()).daysAhead(12).build().maintain();

        assertThat(workshop.askAll(DAYS, "inbox_history")).isEqualTo(days("inbox_history_", today, 13));
        assertThat(workshop.askAll(DAYS, "inbox_ledger")).isEqualTo(days("inbox_ledger_", today, 13));
        recorder().process(message("four"));
        assertThat(workshop.ask("SELECT size || place FROM inbox_history")).isEqualTo("4here");
    }

    private Inbox<JdbcContext> recorder() {
        return inbox("recorder", JdbcStore.create(workshop.dataSource()), HistoryMode.WITH_PAYLOAD);
    }

    private static Inbox<JdbcContext> inbox(String name, JdbcStore store, HistoryMode history) {
        return Inbox.builder(name, store)
                .history(history)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id("id " + payload)
                .type("note")
                .payload(payload)
                .build();
    }

    /** A clock of the schema's own, which goes before the server's where the search path says so. */
    private void shadowClock(String offset) {
        workshop.execute("CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE"
                + " AS 'SELECT pg_catalog.clock_timestamp() + " + offset.replace("'", "''") + "'");
    }

    private JdbcStore storeWithShadowedClock() {
        return JdbcStore.create(PostgresServers.dataSource(workshop.url() + ",pg_catalog"));
    }

    private LocalDate today() {
        return LocalDate.parse(workshop.ask("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text"));
    }

    private MessageKey bounds(String end) {
        return MessageKey.of(UUID.fromString(workshop.ask("SELECT " + end + " FROM inbox_ledger_bounds")));
    }

    private static MessageKey firstKey(LocalDate day) {
        return MessageKey.firstOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
    }

    private static List<String> days(String prefix, LocalDate first, int count) {
        return first.datesUntil(first.plusDays(count))
                .map(day -> prefix + DateTimeFormatter.BASIC_ISO_DATE.format(day))
                .toList();
    }
}
