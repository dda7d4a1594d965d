package io.pigeonhole.benchmarks.retire;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Measures what it costs to forget. Each thing is forgotten twice: once without load, to see what it writes to the log, and
 * once while messages are accepted, to see how long it takes and what they notice of it.
 */
final class RetireBench {
    private static final String CONSUMER = "bench-retire";
    private static final int FIRST_DAY_AGO = 10;
    private static final DateTimeFormatter NAME = DateTimeFormatter.BASIC_ISO_DATE;

    private static final String ADD_DAY = """
            CREATE TABLE inbox_ledger_%1$s (LIKE inbox_ledger INCLUDING ALL);
            ALTER TABLE inbox_ledger ATTACH PARTITION inbox_ledger_%1$s FOR VALUES FROM ('%2$s') TO ('%3$s')""";

    /** Parameters: milliseconds of the day's beginning, rows, rows. */
    private static final String FILL_DAY = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            SELECT c.id, (lpad(to_hex(? + i * CAST(86400000 AS bigint) / ?), 12, '0') || substr(md5(i::text), 1, 20))::uuid,
                   clock_timestamp() - interval '9 days'
            FROM inbox_consumer AS c, generate_series(0, ? - 1) AS i""";

    /** In the order of their acceptance, their keys at random. Parameters: salt, rows. */
    private static final String FILL_DIGESTS = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            SELECT c.id, ('ff' || substr(md5(? || i::text), 1, 30))::uuid, clock_timestamp() - interval '9 days'
            FROM inbox_consumer AS c, generate_series(1, ?) AS i""";

    private final DataSource dataSource;
    private final JdbcStore store;
    private final Inbox<?> inbox;
    private final int rows;
    private final LocalDate firstDay;
    private final Duration undisturbed;

    private RetireBench(DataSource dataSource, JdbcStore store, int rows, LocalDate firstDay, Duration undisturbed) {
        this.undisturbed = undisturbed;
        this.dataSource = dataSource;
        this.store = store;
        this.rows = rows;
        this.firstDay = firstDay;
        this.inbox = Inbox.builder(CONSUMER, store)
                .handle(Load.TYPE, delivery -> delivery, (delivery, context) -> {})
                .build();
    }

    /**
     * Creates the tables.
     *
     * @param rows how many keys are forgotten at once
     * @param undisturbed for how long the load is watched without anything else
     */
    static RetireBench create(DatabaseServer server, int rows, Duration undisturbed) throws SQLException {
        DataSource dataSource = server.schema("retire");
        Schema.apply(dataSource);
        LocalDate today;
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CAST(clock_timestamp() AT TIME ZONE 'UTC' AS date)")) {
            row.next();
            today = row.getObject(1, LocalDate.class);
        }
        return new RetireBench(
                dataSource, JdbcStore.create(dataSource), rows, today.minusDays(FIRST_DAY_AGO), undisturbed);
    }

    /** Two days of so many keys: the first dropped without load, the second under load. */
    Forgotten day() throws Exception {
        execute("UPDATE inbox_ledger_bounds SET oldest = '" + firstKey(firstDay) + "'");
        addDay(firstDay);
        addDay(firstDay.plusDays(1));
        execute("VACUUM (ANALYZE) inbox_ledger");
        execute("CHECKPOINT");
        long position = walPosition();
        dropOne();
        long wal = walPosition() - position;
        Load.Report before = undisturbed();
        try (Load load = Load.on(inbox)) {
            pause();
            long begun = System.nanoTime();
            dropOne();
            long nanos = System.nanoTime() - begun;
            return new Forgotten(rows, nanos, wal, before, load.end());
        }
    }

    private void dropOne() {
        Retired done = store.retire();
        if (done.days() != 1) {
            throw new IllegalStateException("no day was dropped: " + done);
        }
    }

    /** Twice so many keys in digest form. */
    Forgotten digests() throws Exception {
        while (store.retire().more()) {
            // What the load before has left.
        }
        fillDigests("a");
        execute("VACUUM (ANALYZE) inbox_ledger_digest");
        execute("CHECKPOINT");
        long position = walPosition();
        purge(rows);
        long wal = walPosition() - position;
        execute("VACUUM (ANALYZE) inbox_ledger_digest");
        fillDigests("b");
        Load.Report before = undisturbed();
        try (Load load = Load.on(inbox)) {
            pause();
            long begun = System.nanoTime();
            purge(rows);
            long nanos = System.nanoTime() - begun;
            return new Forgotten(rows, nanos, wal, before, load.end());
        }
    }

    private void fillDigests(String salt) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(FILL_DIGESTS)) {
            statement.setString(1, salt);
            statement.setInt(2, rows);
            statement.executeUpdate();
        }
    }

    /** A new pass begins at once, not a day after the last. */
    private void purge(long expected) throws SQLException {
        execute("UPDATE inbox_upkeep SET next_at = clock_timestamp(), place = ''");
        long deleted = 0;
        Retired done = store.retire();
        while (done.more()) {
            deleted += done.rows();
            done = store.retire();
        }
        if (deleted != expected) {
            throw new IllegalStateException(deleted + " keys are deleted, not " + expected);
        }
    }

    private Load.Report undisturbed() throws Exception {
        try (Load load = Load.on(inbox)) {
            pause();
            return load.end();
        }
    }

    private void pause() throws InterruptedException {
        boolean ignored = new CountDownLatch(1).await(undisturbed.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void addDay(LocalDate day) throws SQLException {
        execute(ADD_DAY.formatted(NAME.format(day), firstKey(day), firstKey(day.plusDays(1))));
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(FILL_DAY)) {
            statement.setLong(1, millis(day));
            statement.setInt(2, rows);
            statement.setInt(3, rows);
            statement.executeUpdate();
        }
    }

    private static UUID firstKey(LocalDate day) {
        return MessageKey.firstOf(millis(day)).toUuid();
    }

    private static long millis(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    private long walPosition() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CAST(pg_current_wal_lsn() - '0/0' AS bigint)")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
