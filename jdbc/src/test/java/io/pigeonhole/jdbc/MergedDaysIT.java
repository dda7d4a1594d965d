package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.LedgerDay;
import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.generic.DialectOldDays;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A person has put days of MariaDB together in one partition, which has the name of the first of them. */
@Tag("D5")
class MergedDaysIT {
    private static final String PARTITIONS = "SELECT partition_name FROM information_schema.partitions"
            + " WHERE table_schema = DATABASE() AND table_name = ? AND partition_name LIKE 'p2%' ORDER BY 1";

    private final LocalDate today = LocalDate.now(ZoneOffset.UTC);

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionOfTheHistoryThatHoldsMoreThanTheDayOfItsNameStaysWithAWarning(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .historyRetention(Duration.ofDays(3))
                    .build();
            Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build()
                    .process(message("a"));
            String odd = partition(today.minusDays(9));
            workshop.execute("ALTER TABLE inbox_history REORGANIZE PARTITION " + partition(today) + " INTO (PARTITION "
                    + partition(today.minusDays(20)) + " VALUES LESS THAN ('" + today.minusDays(19) + "'), PARTITION "
                    + odd + " VALUES LESS THAN ('" + today + "'), PARTITION " + partition(today)
                    + " VALUES LESS THAN ('" + today.plusDays(1) + "'))");
            workshop.execute("UPDATE inbox_history SET processed_at = '" + today.minusDays(1) + " 12:00:00'");

            List<String> warnings = warningsOf(DialectOldDays.class, () -> {
                retireAll(store);
                retireAll(store);
            });

            assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_history")).isEqualTo("1");
            assertThat(workshop.askAll(PARTITIONS, "inbox_history"))
                    .startsWith(odd, partition(today))
                    .doesNotContain(partition(today.minusDays(20)));
            assertThat(warnings).singleElement().asString().contains("inbox_history", "" + today.minusDays(9));
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void keysInAPartitionOfTheLedgerThatHoldsMoreThanTheDayOfItsNameStayKnown(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            AtomicInteger effects = new AtomicInteger();
            inbox(store, effects);
            // Of an id with an earlier time it would keep a digest, since it may have been accepted before under one.
            workshop.execute("UPDATE inbox_consumer SET digest_below = 0");
            Inbox<JdbcContext> inbox = inbox(store, effects);
            String odd = partition(today.minusDays(20));
            workshop.execute("ALTER TABLE inbox_ledger REORGANIZE PARTITION " + partition(today) + " INTO (PARTITION "
                    + partition(today.minusDays(30)) + " VALUES LESS THAN (" + end(today.minusDays(30))
                    + "), PARTITION "
                    + odd + " VALUES LESS THAN (" + end(today.minusDays(1)) + "), PARTITION " + partition(today)
                    + " VALUES LESS THAN (" + end(today) + "))");
            workshop.execute("UPDATE inbox_ledger_bounds SET oldest = x'"
                    + HexFormat.of().formatHex(LedgerDay.firstKey(today.minusDays(30))) + "'");
            Message message = message(idOfYesterday());
            inbox.process(message);

            retireAll(store);
            inbox.process(message);

            assertThat(effects).hasValue(1);
            assertThat(workshop.askAll(PARTITIONS, "inbox_ledger"))
                    .startsWith(odd, partition(today))
                    .doesNotContain(partition(today.minusDays(30)));
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionWhoseNameIsNoDayStopsNothingAndIsWarnedOfOnce(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            inbox(store, new AtomicInteger());
            LocalDate old = LocalDate.of(2019, 12, 30);
            workshop.execute("ALTER TABLE inbox_ledger REORGANIZE PARTITION " + partition(today) + " INTO (PARTITION "
                    + partition(old) + " VALUES LESS THAN (" + end(old) + "), PARTITION p20201399 VALUES LESS THAN ("
                    + end(LocalDate.of(2020, 12, 31)) + "), PARTITION " + partition(today) + " VALUES LESS THAN ("
                    + end(today) + "))");

            List<String> warnings = warningsOf(MariaDb.class, () -> {
                retireAll(store);
                retireAll(store);
            });

            assertThat(workshop.askAll(PARTITIONS, "inbox_ledger")).startsWith("p20201399", partition(today));
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .contains("p20201399 of inbox_ledger", "REORGANIZE PARTITION");
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionThatEndsWithItsDayIsDroppedHoweverItsNameIsSpelt(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            inbox(store, new AtomicInteger());
            LocalDate old = LocalDate.of(2020, 1, 1);
            for (String table : List.of("inbox_ledger", "inbox_history")) {
                boolean isLedger = table.equals("inbox_ledger");
                workshop.execute("ALTER TABLE " + table + " REORGANIZE PARTITION " + partition(today)
                        + " INTO (PARTITION P20200101 VALUES LESS THAN ("
                        + (isLedger ? end(old) : "'" + old.plusDays(1) + "'") + "), PARTITION " + partition(today)
                        + " VALUES LESS THAN (" + (isLedger ? end(today) : "'" + today.plusDays(1) + "'") + "))");
            }

            List<String> warnings = warningsOf(DialectOldDays.class, () -> retireAll(store));

            assertThat(workshop.askAll(PARTITIONS, "inbox_ledger")).startsWith(partition(today));
            assertThat(workshop.askAll(PARTITIONS, "inbox_history")).startsWith(partition(today));
            assertThat(warnings).isEmpty();
        }
    }

    /** What is in the one that stays is no part of the next one, and is not waited for there. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void dayBehindAPartitionThatStaysGoesWhateverThatPartitionHolds(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .historyRetention(Duration.ofDays(3))
                    .build();
            Inbox<JdbcContext> recorder = Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            recorder.process(message("a"));
            recorder.process(message("b"));
            String odd = partition(today.minusDays(12));
            workshop.execute("ALTER TABLE inbox_history REORGANIZE PARTITION " + partition(today) + " INTO (PARTITION "
                    + partition(today.minusDays(20)) + " VALUES LESS THAN ('" + today.minusDays(19) + "'), PARTITION "
                    + odd + " VALUES LESS THAN ('" + today.minusDays(5) + "'), PARTITION "
                    + partition(today.minusDays(5)) + " VALUES LESS THAN ('" + today.minusDays(4) + "'), PARTITION "
                    + partition(today) + " VALUES LESS THAN ('" + today.plusDays(1) + "'))");
            workshop.execute("UPDATE inbox_history SET processed_at = '" + today.minusDays(8) + " 12:00:00'"
                    + " WHERE message_id = 'a'");
            workshop.execute("UPDATE inbox_history SET processed_at = '" + today.minusDays(5) + " 12:00:00'"
                    + " WHERE message_id = 'b'");
            Instant since = today.minusDays(8).atStartOfDay(ZoneOffset.UTC).toInstant();
            store.replays()
                    .create(
                            new ReplayPlan(
                                    "again", "notes", since, since.plus(Duration.ofDays(1)), null, null, null, false),
                            "ann",
                            "a test");

            retireAll(store);

            assertThat(workshop.askAll("SELECT message_id FROM inbox_history")).containsExactly("a");
            assertThat(workshop.askAll(PARTITIONS, "inbox_history")).startsWith(odd, partition(today));
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void partitionThatAnotherNodeDropsMeanwhileIsNotSaidToEndElsewhere(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            LocalDate old = today.minusDays(30);
            inbox(JdbcStore.create(workshop.dataSource()), new AtomicInteger());
            workshop.execute("ALTER TABLE inbox_ledger REORGANIZE PARTITION " + partition(today) + " INTO (PARTITION "
                    + partition(old) + " VALUES LESS THAN (" + end(old) + "), PARTITION " + partition(today)
                    + " VALUES LESS THAN (" + end(today) + "))");
            AtomicBoolean isDropped = new AtomicBoolean();
            Dialect slow = new MariaDb() {
                @Override
                public List<LocalDate> days(Connection connection, String table) throws SQLException {
                    List<LocalDate> days = super.days(connection, table);
                    if (days.contains(old) && isDropped.compareAndSet(false, true)) {
                        workshop.execute("ALTER TABLE inbox_ledger DROP PARTITION " + partition(old));
                    }
                    return days;
                }
            };

            List<String> warnings = warningsOf(
                    DialectOldDays.class,
                    () -> retireAll(JdbcStore.builder(workshop.dataSource())
                            .dialect(slow)
                            .build()));

            assertThat(isDropped).isTrue();
            assertThat(warnings).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void comingDaysThatAPersonPutIntoOnePartitionAreCoveredAndTheLedgerGoesOnBehindThem(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            inbox(JdbcStore.create(workshop.dataSource()), new AtomicInteger());
            LocalDate first = today.plusDays(9);
            LocalDate last = today.plusDays(12);
            workshop.execute("ALTER TABLE inbox_ledger REORGANIZE PARTITION gap INTO (PARTITION " + partition(first)
                    + " VALUES LESS THAN (" + end(last) + "), PARTITION gap VALUES LESS THAN (x'ff"
                    + "00".repeat(15) + "'))");
            workshop.execute("ALTER TABLE inbox_history REORGANIZE PARTITION later INTO (PARTITION pnext VALUES LESS"
                    + " THAN ('" + last.plusDays(1) + "'), PARTITION later VALUES LESS THAN (MAXVALUE))");

            JdbcStore.builder(workshop.dataSource()).daysAhead(14).build().maintain();

            assertThat(workshop.askAll(PARTITIONS, "inbox_ledger"))
                    .endsWith(partition(first), partition(today.plusDays(13)), partition(today.plusDays(14)));
            assertThat(workshop.askAll(PARTITIONS, "inbox_history"))
                    .endsWith(
                            partition(today.plusDays(8)), partition(today.plusDays(13)), partition(today.plusDays(14)));
            assertThat(workshop.askKey("SELECT newest FROM inbox_ledger_bounds"))
                    .isEqualTo(MessageKey.of(LedgerDay.firstKey(today.plusDays(15))));
        }
    }

    private static Inbox<JdbcContext> inbox(JdbcStore store, AtomicInteger effects) {
        return Inbox.builder("notes", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> effects.incrementAndGet())
                .build();
    }

    private static Message message(String id) {
        return Message.builder("notes").id(id).type("note").payload("text").build();
    }

    private String idOfYesterday() {
        long noon =
                today.atStartOfDay(ZoneOffset.UTC).minusHours(12).toInstant().toEpochMilli();
        return new UUID(noon << 16 | 0x7abcL, 0x8123456789abcdefL).toString();
    }

    private static String partition(LocalDate day) {
        return "p" + DateTimeFormatter.BASIC_ISO_DATE.format(day);
    }

    private static String end(LocalDate day) {
        return "x'" + HexFormat.of().formatHex(LedgerDay.firstKey(day.plusDays(1))) + "'";
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    private static List<String> warningsOf(Class<?> speaker, Runnable work) {
        Logger logger = (Logger) LoggerFactory.getLogger(speaker);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            work.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
