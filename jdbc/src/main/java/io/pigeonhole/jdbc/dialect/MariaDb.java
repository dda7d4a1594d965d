package io.pigeonhole.jdbc.dialect;

import static io.pigeonhole.core.failure.ErrorClass.MESSAGE;
import static io.pigeonhole.core.failure.ErrorClass.PERMANENT;
import static io.pigeonhole.core.failure.ErrorClass.RETRY_NOW;
import static io.pigeonhole.core.failure.ErrorClass.UNAVAILABLE;
import static io.pigeonhole.core.failure.ErrorClass.UNKNOWN;
import static java.util.Map.entry;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MariaDB 10.6 and later. Has no state but for what it has warned of. Safe for use by many threads.
 */
public class MariaDb extends Dialect {
    /** What the vendor's codes mean; they go before the SQLSTATE, of which this database has few. */
    public static final Map<Integer, ErrorClass> CODES = Map.ofEntries(
            entry(1205, RETRY_NOW), // lock wait timeout
            entry(1213, RETRY_NOW), // deadlock, and a certification failure of a cluster
            entry(1206, RETRY_NOW), // lock table full: the transaction is rolled back, as in a deadlock
            entry(1020, RETRY_NOW), // record has changed since last read: innodb_snapshot_isolation
            entry(
                    1412,
                    RETRY_NOW), // the table was changed since the transaction's view of it: a day was added or dropped
            entry(1526, RETRY_NOW), // no partition for a value: its day was dropped since the ledger's bounds were read
            entry(3572, RETRY_NOW), // NOWAIT met a lock
            entry(1040, UNAVAILABLE), // too many connections
            entry(1203, UNAVAILABLE), // too many connections of this user
            entry(1226, UNAVAILABLE), // the user's resources are used up
            entry(1461, UNAVAILABLE), // max_prepared_stmt_count is used up; drivers prepare batches
            entry(1045, UNAVAILABLE), // access denied: the server lets nobody in
            entry(1053, UNAVAILABLE), // shutdown
            entry(1927, UNAVAILABLE), // connection was killed
            entry(4031, UNAVAILABLE), // disconnected because of inactivity
            entry(2006, UNAVAILABLE), // server has gone away
            entry(2013, UNAVAILABLE), // lost connection during query
            entry(1290, UNAVAILABLE), // --read-only
            entry(1836, UNAVAILABLE), // running in read-only mode
            entry(1792, UNAVAILABLE), // the transaction is read-only
            entry(1047, UNAVAILABLE), // a node without its cluster
            entry(1021, UNAVAILABLE), // disk full
            entry(1114, UNAVAILABLE), // table full
            entry(1037, UNAVAILABLE), // out of memory
            entry(1038, UNAVAILABLE),
            entry(1041, UNAVAILABLE),
            entry(1317, MESSAGE), // query interrupted
            entry(1969, MESSAGE), // max_statement_time exceeded
            entry(3024, MESSAGE), // max_execution_time exceeded
            entry(1264, PERMANENT), // out of range
            entry(1265, PERMANENT), // data truncated
            entry(1366, PERMANENT), // incorrect value
            entry(1406, PERMANENT), // data too long
            entry(1690, PERMANENT), // value is out of range
            entry(1153, PERMANENT), // packet bigger than max_allowed_packet
            entry(1364, MESSAGE), // no default value
            entry(1644, MESSAGE)); // raised by SIGNAL

    private static final Map<String, ErrorClass> STATES = Map.ofEntries(
            entry("40001", RETRY_NOW),
            entry("08", UNAVAILABLE),
            entry("28", UNAVAILABLE),
            entry("21", MESSAGE),
            entry("22", PERMANENT),
            entry("23", MESSAGE),
            entry("42", MESSAGE),
            entry("45", MESSAGE)); // raised by a program

    private static final int DISK_FULL = 1021;
    private static final int TABLE_FULL = 1114;
    private static final int DUPLICATE_KEY = 1062;
    private static final int DUPLICATE_KEY_WITH_NAME = 1586;
    private static final int LOCK_TIMEOUT = 1205;
    private static final int NOWAIT = 3572;
    private static final int STATEMENT_TIMEOUT = 1969;
    private static final int NO_SAVEPOINT = 1305;
    private static final int NOT_TO_BE_PREPARED = 1295;
    private static final int SYNTAX = 1064;
    private static final int NO_PARTITION = 1735;
    private static final int NOT_PREPARED = 1243;
    private static final int TOO_MANY_PREPARED = 1461;

    private static final DateTimeFormatter NAME_OF_DAY =
            DateTimeFormatter.ofPattern("'p'uuuuMMdd", Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);

    /** Below this one looks whether there is a lock, and does not wait: the server knows whole seconds only. */
    private static final Duration NO_WAIT = Duration.ofMillis(100);

    /**
     * What statements of ours may take, in seconds, where the session has a limit of its own, which is meant for the
     * application's: that one, but at least ten minutes.
     */
    private static final String OWN_LIMIT = "IF(@pigeonhole_statement > 0, GREATEST(@pigeonhole_statement, 600), 0)";

    private static final int LONGEST_SECONDS = 100_000_000;

    /** In others definitions mean something else: in ORACLE a DATE is a DATETIME. */
    private static final String MODE_OF_DEFINITIONS = "'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'";

    /** Partitions that are named after no day, of which it has warned. */
    private final Set<String> namedOtherwise = ConcurrentHashMap.newKeySet();

    @Override
    public String name() {
        return "MariaDB";
    }

    @Override
    public String supportedVersions() {
        return "MariaDB 10.6 and later";
    }

    /** One driver calls it MySQL, with its name in the version. */
    @Override
    public boolean recognises(String product, String version) {
        return (product.equals("MariaDB") || version.contains("MariaDB")) && isAtLeast(version, 10, 6);
    }

    /** Whether a version begins with these numbers or larger ones. */
    static boolean isAtLeast(String version, int major, int minor) {
        String[] parts = version.replaceFirst("^5\\.5\\.5-", "").split("\\D+", 3);
        if (parts.length < 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            return false;
        }
        int found = Integer.parseInt(parts[0]);
        return found > major || (found == major && Integer.parseInt(parts[1]) >= minor);
    }

    @Override
    public String schema() {
        return "io/pigeonhole/schema/mariadb/";
    }

    @Override
    public List<String> statements() {
        return List.of("io/pigeonhole/jdbc/sql/mariadb/");
    }

    @Override
    public boolean countsNumbersOfRows() {
        return true;
    }

    @Override
    public boolean setsIsolation() {
        return true;
    }

    /** The share lock makes whoever raises the ledger's bounds wait for the caller. */
    @Override
    public boolean holdsBounds() {
        return true;
    }

    @Override
    public List<String> begin(Duration idleLimit) {
        return begin(idleLimit, "IF(@@max_statement_time > 0, GREATEST(@@max_statement_time, 600), 0)");
    }

    private static List<String> begin(Duration idleLimit, String statementLimit) {
        return List.of(
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
                "SET @pigeonhole_wait = @@innodb_lock_wait_timeout, @pigeonhole_idle = @@idle_transaction_timeout,"
                        + " @pigeonhole_statement = @@max_statement_time, idle_transaction_timeout = "
                        + seconds(idleLimit) + ", max_statement_time = " + statementLimit);
    }

    /** A limit that somebody has set stays. */
    @Override
    public List<String> beginForHandlers(Duration idleLimit) {
        return begin(idleLimit, "IF(@@max_statement_time > 0, @@max_statement_time, " + seconds(idleLimit) + ")");
    }

    @Override
    public List<String> liftHandlersLimit() {
        return List.of("SET max_statement_time = " + OWN_LIMIT);
    }

    @Override
    public List<String> setHandlersLimit(Duration idleLimit) {
        return List.of("SET max_statement_time = IF(@pigeonhole_statement > 0, @pigeonhole_statement, "
                + seconds(idleLimit) + ")");
    }

    @Override
    public boolean isCancelled(SQLException failure) {
        return failure.getErrorCode() == STATEMENT_TIMEOUT;
    }

    @Override
    public List<String> beginToRead(Duration idleLimit) {
        List<String> statements = new ArrayList<>(begin(idleLimit));
        statements.set(0, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        return statements;
    }

    @Override
    public List<String> end() {
        return List.of("SET idle_transaction_timeout = "
                + noted("@pigeonhole_idle", "UNSIGNED", "idle_transaction_timeout")
                + ", innodb_lock_wait_timeout = " + noted("@pigeonhole_wait", "UNSIGNED", "innodb_lock_wait_timeout")
                + ", max_statement_time = "
                + noted("@pigeonhole_statement", "DOUBLE", "max_statement_time"));
    }

    /**
     * What was noted; or the setting as it is, in a session that a driver has put in place of the one that noted it. Where a handler has
     * made it no number, an error, which ends the connection.
     */
    static String noted(String variable, String type, String setting) {
        return "CASE WHEN " + variable + " IS NULL THEN @@" + setting + " WHEN " + variable
                + " REGEXP '^[0-9.]+$' THEN CAST(" + variable + " AS " + type + ") ELSE ~0 + 1 END";
    }

    @Override
    public List<String> endWithAutoCommit() {
        return end().stream().map(settings -> settings + ", autocommit = 1").toList();
    }

    /**
     * The tables of the insert stay open until the transaction ends, from before it reads the ledger's bounds: no day is dropped
     * meanwhile, so that the days need not be read again. A session with a {@code max_statement_time} of its own would have
     * its claims cancelled by that, because a compound statement counts as one; there no key is inserted, and it is claimed in
     * statements of their own. The limit for the whole is that of the wait for a table.
     */
    @Override
    public @Nullable SessionStatement beginWithClaim(Duration idleLimit) {
        return new SessionStatement(
                "SET STATEMENT lock_wait_timeout = LEAST(@@lock_wait_timeout, " + seconds(idleLimit) + ") FOR ",
                BEGIN_WITH_CLAIM);
    }

    @Override
    public String valuesOfClaim(short consumer, String key, String hash, Duration idleLimit, Duration timeout) {
        long idle = seconds(idleLimit);
        long wait = Math.min(idle, secondsOfWait(timeout));
        return consumer + ", " + key + ", " + hash + ", " + idle + ", " + wait;
    }

    @Override
    public boolean isNotPrepared(SQLException failure) {
        return failure.getErrorCode() == NOT_PREPARED;
    }

    /**
     * In the mode ORACLE variables and handlers are declared in another place; the server's {@code max_prepared_stmt_count} may be used up; the first
     * of 10.6 prepared no compound statements.
     */
    @Override
    public boolean refusesPreparation(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case SYNTAX, TOO_MANY_PREPARED, NOT_TO_BE_PREPARED -> true;
            default -> false;
        };
    }

    /**
     * With our own limit: a COMMIT that waits, for a backup maybe, is no handler's statement. The limit that counts is that of the
     * execution, not one within the text.
     */
    @Override
    public @Nullable SessionStatement proveAndCommit() {
        return new SessionStatement(
                "SET STATEMENT max_statement_time = " + OWN_LIMIT + " FOR ",
                "BEGIN NOT ATOMIC RELEASE SAVEPOINT pigeonhole_guard; COMMIT; END");
    }

    /** The driver says {@code SET STATEMENT max_statement_time = … FOR}. */
    @Override
    public boolean mixesUpSettingsUnderALimit() {
        return true;
    }

    /** Each transaction notes there how long its session waits for locks. */
    @Override
    public @Nullable String isSessionOther() {
        return "SELECT @pigeonhole_wait IS NULL";
    }

    @Override
    public @Nullable String holdBoundsAndClaim() {
        return HOLD_BOUNDS_AND_CLAIM;
    }

    /** A COMMIT that waits, for a backup maybe, is no handler's statement. In one round trip. */
    @Override
    public List<String> verifyTransaction() {
        return List.of("BEGIN NOT ATOMIC SET max_statement_time = " + OWN_LIMIT + ";"
                + " RELEASE SAVEPOINT pigeonhole_guard; END");
    }

    @Override
    public List<String> setLockTimeout(Duration timeout) {
        return List.of("SET innodb_lock_wait_timeout = " + secondsOfWait(timeout)
                + ", max_statement_time = IF(@pigeonhole_statement > 0, GREATEST(@pigeonhole_statement, 600),"
                + " @@max_statement_time)");
    }

    @Override
    public List<String> restoreLockTimeout() {
        return List.of("SET innodb_lock_wait_timeout = @pigeonhole_wait, max_statement_time ="
                + " IF(@pigeonhole_statement > 0, @pigeonhole_statement, @@max_statement_time)");
    }

    private static long secondsOfWait(Duration timeout) {
        return timeout.compareTo(NO_WAIT) < 0 ? 0 : seconds(timeout);
    }

    /** At least one, because it knows nothing between whole ones. */
    static long seconds(Duration duration) {
        long up = duration.plusMillis(999).toSeconds();
        return Math.max(1, Math.min(up, LONGEST_SECONDS));
    }

    @Override
    public ErrorClass classOf(SQLException failure) {
        ErrorClass byCode = CODES.get(failure.getErrorCode());
        String state = failure.getSQLState();
        if (byCode != null || state == null || state.length() != 5) {
            return byCode == null ? UNKNOWN : byCode;
        }
        ErrorClass exact = STATES.get(state);
        return exact != null ? exact : STATES.getOrDefault(state.substring(0, 2), UNKNOWN);
    }

    @Override
    public long largestStatement(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
            return row.next() ? row.getLong(1) : Long.MAX_VALUE;
        }
    }

    @Override
    public boolean isDuplicateKey(SQLException failure) {
        return failure.getErrorCode() == DUPLICATE_KEY || failure.getErrorCode() == DUPLICATE_KEY_WITH_NAME;
    }

    @Override
    public boolean isFull(SQLException failure) {
        return failure.getErrorCode() == DISK_FULL || failure.getErrorCode() == TABLE_FULL;
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return failure.getErrorCode() == LOCK_TIMEOUT
                || failure.getErrorCode() == NOWAIT
                || failure.getErrorCode() == STATEMENT_TIMEOUT;
    }

    @Override
    public boolean isSavepointGone(SQLException failure) {
        return failure.getErrorCode() == NO_SAVEPOINT;
    }

    /**
     * Its driver sends a batch of INSERTs in bulk, which the server takes for {@code VALUES} only; and prepares it first, which the server may have no
     * room for.
     */
    @Override
    public boolean refusesBatch(SQLException failure) {
        return failure.getErrorCode() == NOT_TO_BE_PREPARED || failure.getErrorCode() == TOO_MANY_PREPARED;
    }

    @Override
    public boolean isConnectionLost(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 1053, 1927, 2006, 2013, 4031 -> true;
            default -> super.isConnectionLost(failure);
        };
    }

    @Override
    public String withoutText(String sql) {
        return MariaDbControl.withoutText(sql);
    }

    @Override
    public String savepointName(String written) {
        return super.savepointName(written).toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean endsTransaction(String sql) {
        return MariaDbControl.endsTransaction(sql);
    }

    /**
     * Other settings stay, as they do on this database: a handler that sets them puts them back. With a limit of its own, so
     * that it has its row whatever a handler's {@code sql_select_limit} is.
     */
    @Override
    public List<String> session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT DATABASE(), CURRENT_ROLE(), @@sql_mode,"
                        + " @@foreign_key_checks, @@unique_checks, @@innodb_lock_wait_timeout, @@sql_select_limit,"
                        + " @@sql_safe_updates, @@sql_auto_is_null, @@completion_type, @@lock_wait_timeout,"
                        + " @@time_zone, @@character_set_client, @@character_set_results, @@collation_connection"
                        + " LIMIT 1")) {
            row.next();
            String schema = row.getString(1);
            return Stream.of(
                            schema == null ? null : "USE `" + schema.replace("`", "``") + "`",
                            "SET ROLE " + role(row.getString(2)),
                            "SET sql_mode = '" + row.getString(3) + "'",
                            "SET foreign_key_checks = " + row.getInt(4) + ", unique_checks = " + row.getInt(5),
                            "SET innodb_lock_wait_timeout = " + row.getInt(6),
                            "SET sql_select_limit = " + row.getString(7) + ", sql_safe_updates = " + row.getInt(8)
                                    + ", sql_auto_is_null = " + row.getInt(9) + ", completion_type = '"
                                    + row.getString(10) + "', lock_wait_timeout = " + row.getString(11)
                                    + ", time_zone = '" + row.getString(12) + "'",
                            "SET character_set_client = " + row.getString(13) + ", character_set_results = "
                                    + row.getString(14) + ", collation_connection = " + row.getString(15))
                    .filter(Objects::nonNull)
                    .toList();
        }
    }

    /** As {@code SET ROLE} takes what the session reports. */
    String role(@Nullable String current) {
        return current == null || current.isEmpty() ? "NONE" : "`" + current.replace("`", "``") + "`";
    }

    /** Where the empty text is NULL, or a set of characters lacks some, our statements write something else than they say. */
    @Override
    public void checkSession(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        if (url.toLowerCase(Locale.ROOT).contains("transactionreplay=true")) {
            throw new ConfigurationException(
                    "the driver's transactionReplay is on: where a connection is lost, it executes a"
                            + " transaction once more and does not look at the answers, so that a message that somebody else has"
                            + " processed meanwhile takes effect twice. Turn it off; what failed is tried again without it");
        }
        if (url.toLowerCase(Locale.ROOT).contains("usebulkstmts=true")) {
            throw Call.driverDoesNotCount();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT '' IS NULL, @@sql_mode, @@character_set_client,"
                        + " @@character_set_connection, COALESCE(@@character_set_results, 'utf8mb4'),"
                        + " @@sql_select_limit < 4294967295, @@sql_select_limit, @@completion_type LIMIT 1")) {
            row.next();
            if (row.getBoolean(1)) {
                throw new ConfigurationException("the empty text is NULL in this session (sql_mode " + row.getString(2)
                        + "): the inbox could not keep empty texts. Take EMPTY_STRING_IS_NULL out of sql_mode for the"
                        + " connections of the data source");
            }
            List<String> sets = List.of(row.getString(3), row.getString(4), row.getString(5));
            if (!sets.stream().allMatch("utf8mb4"::equals)) {
                throw new ConfigurationException("character_set_client, character_set_connection and"
                        + " character_set_results are " + String.join(", ", sets) + ": characters that they lack would"
                        + " become question marks, in types and keys too. Set all of them to utf8mb4 (SET NAMES utf8mb4)"
                        + " for the connections of the data source");
            }
            if (row.getBoolean(6)) {
                throw new ConfigurationException(
                        "sql_select_limit is " + row.getString(7) + ": the inbox would not see all of"
                                + " its rows, and take duplicates for new. Leave it at its default for the connections of the data"
                                + " source");
            }
            if (!row.getString(8).equals("NO_CHAIN")) {
                throw new ConfigurationException("completion_type is " + row.getString(8) + ": each COMMIT would begin"
                        + " another transaction, or end the connection. Leave it at NO_CHAIN for the connections of the data"
                        + " source");
            }
        }
        checkEngines(connection);
        checkColumns(connection);
        warnOfRollbacks(connection);
    }

    /** Our statements take a lock that they do not get for a matter of one message. */
    private static void warnOfRollbacks(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@global.innodb_rollback_on_timeout LIMIT 1")) {
            if (row.next() && row.getBoolean(1)) {
                Logger log = LoggerFactory.getLogger(MariaDb.class);
                log.warn(
                        "innodb_rollback_on_timeout is ON: a message that another transaction is working on rolls back the whole"
                                + " batch in which it is delivered once more, and holds it up until that transaction ends. Take it out"
                                + " of the server's configuration, and restart the server");
            }
        }
    }

    /** With another engine a rollback keeps the key and undoes the effect: the message would be a duplicate of itself. */
    private static void checkEngines(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OTHER_ENGINES)) {
            if (row.next()) {
                String table = row.getString(1);
                throw new ConfigurationException("the table " + table + " has the engine " + row.getString(2)
                        + ", the inbox needs InnoDB: what is rolled back would stay, and messages be lost. Convert it back: ALTER"
                        + " TABLE " + table + " ENGINE = InnoDB");
            }
        }
    }

    /** Whoever converts a table to another set of characters has its columns changed with it. */
    private static void checkColumns(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OTHER_COLUMNS)) {
            if (row.next()) {
                String table = row.getString(1);
                throw new ConfigurationException("the column " + table + "." + row.getString(2) + " has the collation "
                        + row.getString(3)
                        + ": it lacks characters, or takes different texts for the same. Convert the table"
                        + " back: ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
                        + " (utf8mb4_0900_bin on MySQL)");
            }
        }
    }

    @Override
    public void checkDurability(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@global.innodb_flush_log_at_trx_commit")) {
            if (row.next() && row.getInt(1) != 1) {
                Logger log = LoggerFactory.getLogger(MariaDb.class);
                log.warn(
                        "innodb_flush_log_at_trx_commit is {}: a crash of the server may lose messages that were"
                                + " acknowledged already. Set it to 1",
                        row.getInt(1));
            }
        }
    }

    /** Whoever has written to a table keeps its definition until the transaction ends, and so keeps others from locking it. */
    @Override
    public void awaitHistoryWriters(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(beginDefinition("1"));
            try {
                statement.execute("LOCK TABLES inbox_history READ");
                statement.execute("UNLOCK TABLES");
            } finally {
                statement.execute(endDefinition());
            }
        }
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT GET_LOCK(CONCAT('pigeonhole ', MD5(DATABASE())), 60)")) {
            if (!row.next() || row.getInt(1) != 1) {
                throw new SQLException(
                        "another program has been changing the schema for a minute", "HY000", LOCK_TIMEOUT);
            }
            statement.execute("SET @pigeonhole_mode = @@sql_mode, SESSION sql_mode = " + MODE_OF_DEFINITIONS);
        }
    }

    @Override
    public void unlockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO RELEASE_LOCK(CONCAT('pigeonhole ', MD5(DATABASE())))");
            statement.execute("SET SESSION sql_mode = @pigeonhole_mode");
        }
    }

    /**
     * No partition can be added behind the last one, so an empty one before it is split; where a later day has a partition that
     * reaches to its end, as after a clock that was ahead, that one. What a person's partition covers needs none. The change waits
     * for open transactions, and all others for the change: not longer than a second, as long as there are days enough. Where
     * handlers run for longer one beside the other, there never is such a second, so that it waits longer when the days run out:
     * messages of a day that is missing are dead letters.
     */
    @Override
    public void addDay(Connection connection, LocalDate day) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(beginDefinition("CASE WHEN DATEDIFF('" + day + "', UTC_TIMESTAMP(6)) > 3 THEN 1"
                    + " WHEN DATEDIFF('" + day + "', UTC_TIMESTAMP(6)) > 1 THEN 10 ELSE 60 END"));
            try {
                addDay(connection, statement, "inbox_ledger", day);
                addDay(connection, statement, "inbox_history", day);
            } finally {
                statement.execute(endDefinition());
            }
        }
    }

    private void addDay(Connection connection, Statement statement, String table, LocalDate day) throws SQLException {
        if (hasPartition(connection, table, partition(day))) {
            return;
        }
        boolean isLedger = isLedger(table);
        String empty = isLedger ? "gap" : "later";
        String covering = partitionOf(connection, table, last(table, day));
        if (covering == null || covering.equals(empty)) {
            statement.execute(ADD_DAY.formatted(
                    table, partition(day), end(table, day), empty, isLedger ? END_OF_GAP : "MAXVALUE"));
            return;
        }
        LocalDate later = dayOf(covering);
        if (later != null && later.isAfter(day) && endsWithDay(connection, table, later)) {
            statement.execute(ADD_DAY.formatted(table, partition(day), end(table, day), covering, end(table, later)));
        }
    }

    private static boolean isLedger(String table) {
        return table.equals("inbox_ledger");
    }

    private static String partition(LocalDate day) {
        return NAME_OF_DAY.format(day);
    }

    /** Of a partition that has the name of a day; a person may have given it another. */
    private static @Nullable LocalDate dayOf(String partition) {
        try {
            return LocalDate.parse(partition.toLowerCase(Locale.ROOT), NAME_OF_DAY);
        } catch (DateTimeParseException e) {
            Logger log = LoggerFactory.getLogger(MariaDb.class);
            log.debug("the partition {} is no day", partition, e);
            return null;
        }
    }

    /** The first value behind a day. */
    private static String end(String table, LocalDate day) {
        return isLedger(table)
                ? "x'" + HexFormat.of().formatHex(LedgerDay.firstKey(day.plusDays(1))) + "'"
                : "'" + day.plusDays(1) + "'";
    }

    /** The last value of a day. */
    private static String last(String table, LocalDate day) {
        if (!isLedger(table)) {
            return "'" + day + " 23:59:59.999999'";
        }
        MessageKey end = MessageKey.of(LedgerDay.firstKey(day.plusDays(1)));
        return "x'" + HexFormat.of().formatHex(new MessageKey(end.high() - 1, -1).toBytes()) + "'";
    }

    @Override
    public boolean hasDays() {
        return true;
    }

    @Override
    public List<LocalDate> days(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DAYS)) {
            statement.setString(1, table);
            try (ResultSet rows = statement.executeQuery()) {
                List<LocalDate> days = new ArrayList<>();
                while (rows.next()) {
                    String name = rows.getString(1);
                    LocalDate day = dayOf(name);
                    if (day != null) {
                        days.add(day);
                    } else if (namedOtherwise.add(connection.getCatalog() + "." + table + " " + name)) {
                        LoggerFactory.getLogger(MariaDb.class)
                                .warn(
                                        "the partition {} of {} is named after no day and is never dropped, so that what it holds"
                                                + " stays: divide it into days, such as {}, with REORGANIZE PARTITION, or drop it"
                                                + " yourself when all that it holds may go",
                                        name,
                                        table,
                                        partition(LocalDate.EPOCH));
                    }
                }
                days.sort(null);
                return days;
            }
        }
    }

    /**
     * By asking the server where it would look for the last value of the day, and for the first one behind it. The text of a bound
     * does not decide it: it is written in one way or the other, by version and character set.
     */
    @Override
    public boolean endsWithDay(Connection connection, String table, LocalDate day) throws SQLException {
        String name = partition(day);
        // To the server, P20200101 is the same name as p20200101.
        return name.equalsIgnoreCase(partitionOf(connection, table, last(table, day)))
                && !name.equalsIgnoreCase(partitionOf(connection, table, end(table, day)));
    }

    private @Nullable String partitionOf(Connection connection, String table, String value) throws SQLException {
        String column = isLedger(table) ? "message_key" : "processed_at";
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(explainPartitions() + WHERE_VALUE_IS.formatted(table, column, value))) {
            return row.next() ? row.getString("partitions") : null;
        }
    }

    /** In front of a query: what the server would look at. */
    String explainPartitions() {
        return "EXPLAIN PARTITIONS ";
    }

    /** By the partition and not by a time since when: what another one holds is no part of it, wherever that one ends. */
    @Override
    public List<LocalDate> earlierDays(Connection connection, LocalDate day) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EARLIER_DAYS.formatted(partition(day), day));
                ResultSet rows = statement.executeQuery()) {
            List<LocalDate> days = new ArrayList<>();
            while (rows.next()) {
                days.add(rows.getObject(1, LocalDate.class));
            }
            return days;
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_PARTITION) {
                return List.of();
            }
            throw e;
        }
    }

    /** It waits for open transactions, and all others for it: not longer than a second. */
    @Override
    public void dropDay(Connection connection, String table, LocalDate day) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(beginDefinition("1"));
            try {
                statement.execute(DROP_DAY.formatted(table, DateTimeFormatter.BASIC_ISO_DATE.format(day)));
            } finally {
                statement.execute(endDefinition());
            }
        }
    }

    /**
     * Before a change of a table, which waits for open transactions, and all others for it: not longer than so many seconds. A
     * partition is added and dropped with no other algorithm than the server's own, and in no session that only reads.
     */
    String beginDefinition(String seconds) {
        return "SET @pigeonhole_meta = @@lock_wait_timeout, @pigeonhole_change = @@max_statement_time,"
                + " @pigeonhole_algorithm = @@alter_algorithm, @pigeonhole_read_only = @@tx_read_only,"
                + " SESSION lock_wait_timeout = " + seconds
                + ", SESSION max_statement_time = IF(@@max_statement_time > 0, GREATEST(@@max_statement_time, 600), 0)"
                + ", SESSION alter_algorithm = 'DEFAULT', SESSION tx_read_only = 0";
    }

    String endDefinition() {
        return "SET SESSION lock_wait_timeout = @pigeonhole_meta, SESSION max_statement_time = @pigeonhole_change,"
                + " SESSION alter_algorithm = @pigeonhole_algorithm, SESSION tx_read_only = @pigeonhole_read_only";
    }

    private static boolean hasPartition(Connection connection, String table, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(HAS_PARTITION)) {
            statement.setString(1, table);
            statement.setString(2, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /**
     * Parameters: consumer, key, hash, how long a handler may be away, how long a lock is waited for. They stand where no table is named: a table that has changed makes
     * servers from 11.2 on parse the step anew that names it, and there they take no parameter.
     */
    private static final String BEGIN_WITH_CLAIM = """
            BEGIN NOT ATOMIC
                DECLARE pigeonhole_claimed INT DEFAULT 0;
                DECLARE pigeonhole_consumer SMALLINT DEFAULT ?;
                DECLARE pigeonhole_key BINARY(16) DEFAULT ?;
                DECLARE pigeonhole_hash VARBINARY(32) DEFAULT ?;
                DECLARE pigeonhole_limit BIGINT DEFAULT ?;
                DECLARE pigeonhole_timeout BIGINT DEFAULT ?;
                DECLARE CONTINUE HANDLER FOR 1062, 1586 SET pigeonhole_claimed = -1;
                SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
                SET @pigeonhole_wait = @@innodb_lock_wait_timeout, @pigeonhole_idle = @@idle_transaction_timeout,
                    @pigeonhole_statement = @@max_statement_time, innodb_lock_wait_timeout = pigeonhole_timeout,
                    idle_transaction_timeout = pigeonhole_limit,
                    max_statement_time = IF(@@max_statement_time > 0, @@max_statement_time, pigeonhole_limit);
                SAVEPOINT pigeonhole_guard;
                INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
                SELECT c.id, pigeonhole_key, pigeonhole_hash, UTC_TIMESTAMP(6)
                FROM inbox_ledger_bounds AS h CROSS JOIN inbox_consumer AS c
                WHERE c.id = pigeonhole_consumer AND NOT c.paused AND @pigeonhole_statement = 0
                    AND pigeonhole_key >= h.oldest
                    AND (pigeonhole_key < h.newest OR pigeonhole_key >= x'ff000000000000000000000000000000');
                IF pigeonhole_claimed = 0 THEN
                    SET pigeonhole_claimed = ROW_COUNT();
                END IF;
                SET innodb_lock_wait_timeout = @pigeonhole_wait;
                IF pigeonhole_claimed < 0 THEN
                    SELECT pigeonhole_claimed, COUNT(*) > 0
                    FROM (SELECT 1 FROM inbox_dead_letter AS d WHERE d.consumer_id = pigeonhole_consumer LIMIT 1) AS letters;
                ELSE
                    SELECT pigeonhole_claimed;
                END IF;
            END""";

    private static final String HOLD_BOUNDS_AND_CLAIM = """
            INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
            SELECT ?, ?, UTC_TIMESTAMP(6)
            FROM inbox_ledger_bounds AS h
            WHERE ? >= h.oldest AND (? < h.newest OR ? >= x'ff000000000000000000000000000000')
            LOCK IN SHARE MODE""";

    /** Tables of ours that a restore has given the server's default engine, or a person another one. */
    private static final String OTHER_ENGINES = """
            SELECT t.table_name, t.engine
            FROM information_schema.tables AS t
            WHERE t.table_schema = DATABASE() AND t.engine <> 'InnoDB'
                AND t.table_name IN ('inbox_consumer', 'inbox_ledger', 'inbox_ledger_bounds', 'inbox_clock', 'inbox_retention',
                    'inbox_work_partition', 'inbox_work', 'inbox_attempt', 'inbox_dead_letter', 'inbox_start', 'inbox_watermark',
                    'inbox_audit', 'inbox_history', 'inbox_upkeep', 'inbox_replay', 'inbox_replay_skipped', 'inbox_store',
                    'inbox_export', 'inbox_export_mark', 'inbox_schema')
            LIMIT 1""";

    /** Text of our tables that is not what their definition says. */
    private static final String OTHER_COLUMNS = """
            SELECT c.table_name, c.column_name, c.collation_name
            FROM information_schema.columns AS c
            WHERE c.table_schema = DATABASE() AND c.collation_name IS NOT NULL
                AND c.collation_name NOT IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
                AND c.table_name IN ('inbox_consumer', 'inbox_work_partition', 'inbox_retention', 'inbox_work', 'inbox_attempt',
                    'inbox_dead_letter', 'inbox_start', 'inbox_watermark', 'inbox_audit', 'inbox_history', 'inbox_upkeep',
                    'inbox_replay', 'inbox_replay_skipped', 'inbox_export')
            LIMIT 1""";

    /** Parameters: table, partition. */
    private static final String HAS_PARTITION = """
            SELECT 1 FROM information_schema.partitions
            WHERE table_schema = DATABASE() AND table_name = ? AND partition_name = ?""";

    /** Parameters: table. */
    private static final String DAYS = """
            SELECT partition_name FROM information_schema.partitions
            WHERE table_schema = DATABASE() AND table_name = ?
                AND partition_name NOT IN ('gap', 'digest', 'later')""";

    /** With a limit of its own, whatever the session's is. Formatted with: table, column, value. */
    private static final String WHERE_VALUE_IS = "SELECT %2$s FROM %1$s WHERE %2$s = %3$s LIMIT 1";

    /** Formatted with: partition, day. */
    private static final String EARLIER_DAYS = """
            SELECT DISTINCT CAST(h.processed_at AS DATE)
            FROM inbox_history PARTITION (%1$s) AS h
            WHERE h.processed_at < '%2$s'
            ORDER BY 1""";

    /** Formatted with: table, day. */
    static final String DROP_DAY = "ALTER TABLE %1$s DROP PARTITION p%2$s";

    private static final String END_OF_GAP = "x'ff000000000000000000000000000000'";

    /** Formatted with: table, name, where it ends, the partition that it is split off, where that one ends. */
    static final String ADD_DAY = """
            ALTER TABLE %1$s REORGANIZE PARTITION %4$s INTO (
                PARTITION %2$s VALUES LESS THAN (%3$s),
                PARTITION %4$s VALUES LESS THAN (%5$s))""";
}
