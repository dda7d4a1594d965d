package io.pigeonhole.jdbc.dialect;

import static io.pigeonhole.core.failure.ErrorClass.MESSAGE;
import static io.pigeonhole.core.failure.ErrorClass.PERMANENT;
import static io.pigeonhole.core.failure.ErrorClass.RETRY_NOW;
import static io.pigeonhole.core.failure.ErrorClass.UNAVAILABLE;
import static io.pigeonhole.core.failure.ErrorClass.UNKNOWN;
import static java.util.Map.entry;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * H2 2.2.220 and later, in its regular mode or another one: for trying things out, and for programs that bring their
 * database along. Without partitions, and without a limit for idle transactions.
 */
public class H2 extends Dialect {
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    /** A file or memory database is in one process only, and nothing in it would keep two definitions apart. */
    private static final ReentrantLock SCHEMA = new ReentrantLock();

    private static final int LONGEST_LOCK_SECONDS = 60;

    private static final Map<Integer, ErrorClass> CODES = Map.ofEntries(
            entry(40001, RETRY_NOW), // deadlock
            entry(50200, RETRY_NOW), // lock timeout
            entry(90131, RETRY_NOW), // concurrent update
            entry(57014, MESSAGE), // statement was canceled, or timed out
            entry(90007, UNAVAILABLE), // the connection is closed
            entry(90013, UNAVAILABLE), // database not found
            entry(90020, UNAVAILABLE), // in use by another process
            entry(90028, UNAVAILABLE), // file
            entry(90030, UNAVAILABLE), // file corrupted
            entry(90031, UNAVAILABLE), // io
            entry(90067, UNAVAILABLE), // connection broken
            entry(90097, UNAVAILABLE), // the database is read-only
            entry(90098, UNAVAILABLE), // the database has been closed
            entry(90100, UNAVAILABLE), // no disk space
            entry(90108, UNAVAILABLE), // out of memory
            entry(90121, UNAVAILABLE), // closed by the end of its process
            entry(90135, UNAVAILABLE)); // exclusive mode

    private static final Map<String, ErrorClass> STATES = Map.of(
            "08", UNAVAILABLE,
            "28", UNAVAILABLE,
            "21", MESSAGE,
            "22", PERMANENT,
            "23", MESSAGE,
            "42", MESSAGE);

    /** Formatted with: name. */
    private static final String SETTING =
            "(SELECT MAX(SETTING_VALUE) FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = '%s')";

    /** In which all statements mean the same. */
    private static final Set<String> MODES =
            new TreeSet<>(Set.of("REGULAR", "LEGACY", "DB2", "HSQLDB", "MARIADB", "MYSQL", "POSTGRESQL"));

    private static final int DUPLICATE_KEY = 23505;
    private static final int GENERAL_ERROR = 50000;
    private static final int LOCK_TIMEOUT = 50200;
    private static final int NO_SAVEPOINT = 90063;

    /** The isolation level that JDBC has no number for. */
    public static final int SNAPSHOT = 6;

    @Override
    public String name() {
        return "H2";
    }

    @Override
    public String supportedVersions() {
        return "H2 2.2.220 and later";
    }

    @Override
    public boolean recognises(String product, String version) {
        return product.equals("H2") && MariaDb.isAtLeast(version, 2, 2);
    }

    @Override
    public String schema() {
        return "io/pigeonhole/schema/h2/";
    }

    @Override
    public List<String> statements() {
        return List.of("io/pigeonhole/jdbc/sql/h2/");
    }

    @Override
    public List<String> begin(Duration idleLimit) {
        return List.of("SET @pigeonhole_wait = LOCK_TIMEOUT()");
    }

    /** At repeatable read each table is as it was when it was read first. */
    @Override
    public int isolationToRead() {
        return SNAPSHOT;
    }

    @Override
    public List<String> end() {
        return restoreLockTimeout();
    }

    @Override
    public List<String> setLockTimeout(Duration timeout) {
        return List.of("SET LOCK_TIMEOUT " + Math.max(1, Math.min(timeout.toMillis(), Integer.MAX_VALUE)));
    }

    @Override
    public List<String> restoreLockTimeout() {
        return List.of("SET LOCK_TIMEOUT @pigeonhole_wait");
    }

    /** A statement that had to wait is begun anew without undoing its first rows, and then meets these. */
    @Override
    public int rowsOfClaim() {
        return 1;
    }

    /** To release a savepoint that is gone is no error here: {@link #transactionNumber} is the proof. */
    @Override
    public List<String> markTransaction() {
        return List.of();
    }

    @Override
    public List<String> verifyTransaction() {
        return List.of();
    }

    /**
     * Whoever finds a deadlock marks the newest transaction in it, which may just have got its lock. That one can only be rolled
     * back: its COMMIT commits nothing and keeps the locks for ever, on H2 2.5.252 without an error. A rollback to a savepoint
     * fails then, and changes nothing otherwise.
     */
    @Override
    public List<String> beforeCommit() {
        return List.of("SAVEPOINT pigeonhole_end", "ROLLBACK TO SAVEPOINT pigeonhole_end");
    }

    @Override
    public String transactionNumber() {
        return "SELECT TRANSACTION_ID()";
    }

    @Override
    public ErrorClass classOf(SQLException failure) {
        if (isOfALateVictim(failure)) {
            return RETRY_NOW;
        }
        ErrorClass byCode = CODES.get(failure.getErrorCode());
        String state = failure.getSQLState();
        if (byCode != null || state == null || state.length() != 5) {
            return byCode == null ? UNKNOWN : byCode;
        }
        return STATES.getOrDefault(state.substring(0, 2), UNKNOWN);
    }

    /** Of a transaction that was chosen as the victim of a deadlock, and was not waiting any more. */
    private static boolean isOfALateVictim(SQLException failure) {
        return failure.getErrorCode() == GENERAL_ERROR
                && String.valueOf(failure.getMessage()).contains("ROLLING_BACK");
    }

    @Override
    public boolean isDuplicateKey(SQLException failure) {
        return failure.getErrorCode() == DUPLICATE_KEY;
    }

    @Override
    public boolean isFull(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 90031, 90100 -> true; // io, no disk space
            default -> false;
        };
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return failure.getErrorCode() == LOCK_TIMEOUT;
    }

    @Override
    public boolean isSavepointGone(SQLException failure) {
        return failure.getErrorCode() == NO_SAVEPOINT;
    }

    @Override
    public boolean isConnectionLost(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 90007, 90067, 90098, 90121 -> true;
            default -> super.isConnectionLost(failure);
        };
    }

    @Override
    public String withoutText(String sql) {
        return H2Control.withoutText(sql);
    }

    @Override
    public boolean endsTransaction(String sql) {
        return H2Control.endsTransaction(sql);
    }

    /** A definition that changes nothing waits for whoever has written to its table. */
    @Override
    public void awaitHistoryWriters(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET @pigeonhole_wait = LOCK_TIMEOUT()");
            statement.execute("SET LOCK_TIMEOUT 1000");
            try {
                statement.execute("ALTER TABLE inbox_history SET REFERENTIAL_INTEGRITY TRUE");
            } finally {
                statement.execute("SET LOCK_TIMEOUT @pigeonhole_wait");
            }
        }
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try {
            if (!SCHEMA.tryLock(LONGEST_LOCK_SECONDS, TimeUnit.SECONDS)) {
                throw new SQLException("another thread has been changing a schema for a minute", "HYT00", LOCK_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while another thread changes a schema", "HYT00", LOCK_TIMEOUT, e);
        }
    }

    @Override
    public void unlockSchema(Connection connection) {
        SCHEMA.unlock();
    }

    /** Other settings of the session cannot be changed by a handler, except its own variables, which stay. */
    @Override
    public List<String> session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT SCHEMA(), LOCK_TIMEOUT(), "
                        + SETTING.formatted("QUERY_TIMEOUT") + ", " + SETTING.formatted("TIME ZONE"))) {
            row.next();
            return List.of(
                    "SET SCHEMA \"" + row.getString(1).replace("\"", "\"\"") + "\"",
                    "SET LOCK_TIMEOUT " + row.getInt(2),
                    "SET QUERY_TIMEOUT " + row.getInt(3),
                    "SET TIME ZONE '" + row.getString(4).replace("'", "''") + "'");
        }
    }

    @Override
    public boolean keepsQueryTimeout() {
        return true;
    }

    /** A file that is written with a delay lost 591 of 1,000 committed rows when its process was killed, one without none. */
    @Override
    public void checkDurability(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT DATABASE_PATH(), (SELECT MAX(SETTING_VALUE) FROM INFORMATION_SCHEMA.SETTINGS"
                                + " WHERE SETTING_NAME = 'WRITE_DELAY')")) {
            row.next();
            String path = row.getString(1);
            String delay = row.getString(2);
            if (path == null) {
                if (!WARNED.getAndSet(true)) {
                    Logger log = LoggerFactory.getLogger(H2.class);
                    log.warn("the H2 database is in memory: everything is gone with its process. For trying out only");
                }
            } else if (!"0".equals(delay)) {
                throw new ConfigurationException("the H2 database writes " + delay + " ms after a commit (WRITE_DELAY):"
                        + " messages that were acknowledged would be lost with the process."
                        + " Add ;WRITE_DELAY=0 to its JDBC URL");
            }
        }
    }

    /**
     * In the modes of other databases the empty text may be NULL, and statements may mean something else. With a collation names that differ
     * may be equal: a consumer would be taken for another, whose messages are its duplicates.
     */
    @Override
    public void checkSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT " + SETTING.formatted("MODE") + ", " + SETTING.formatted("COLLATION"))) {
            row.next();
            String mode = row.getString(1);
            String collation = row.getString(2);
            if (collation != null && !collation.equals("OFF")) {
                throw new ConfigurationException("the H2 database has the collation " + collation
                        + ", in which names that differ may be equal: two consumers would be one. Take COLLATION out of its JDBC"
                        + " URL, and create the database anew");
            }
            if (!MODES.contains(mode.toUpperCase(Locale.ROOT))) {
                throw new ConfigurationException("the H2 database is in the mode " + mode
                        + ", in which statements of the inbox mean something else. Take MODE out of its JDBC URL, or"
                        + " choose one of " + MODES);
            }
        }
    }
}
