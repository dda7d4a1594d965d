package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of database says differently from others: its statements, its settings, and what its errors mean. Has no state but its statements, once they are read; safe for use by many threads.
 *
 * <p>A database needs transactions that are read committed, savepoints, {@code SELECT … FOR UPDATE SKIP LOCKED}, columns of
 * bytes that compare byte by byte and unsigned, and must make the insert of a key wait while another transaction that
 * inserted the same one is open. A statement that fails must leave the transaction as it was before.
 *
 * <p>One long class, because it is one short method, mostly documentation, for each thing that databases say differently.
 */
public abstract class Dialect {
    private volatile @Nullable Statements texts;

    /**
     * The name of the database, for people.
     *
     * @return such as {@code MariaDB}
     */
    public abstract String name();

    /**
     * Which versions it is for, for people.
     *
     * @return such as {@code MariaDB 10.6 and later}
     */
    public abstract String supportedVersions();

    /**
     * Whether it is for a database, as the driver describes it.
     *
     * @param product {@link java.sql.DatabaseMetaData#getDatabaseProductName}
     * @param version {@link java.sql.DatabaseMetaData#getDatabaseProductVersion}
     * @return true if its statements are for that one
     */
    public abstract boolean recognises(String product, String version);

    /**
     * Where its schema files are on the class path, {@code R__pigeonhole_001_inbox.sql} and {@code catalog.txt}.
     *
     * @return a folder that ends with a slash
     */
    public abstract String schema();

    /**
     * Where its {@code .sql} files are on the class path, with the statements that it says otherwise than the standard. Each folder
     * overrides whole statements of those before it.
     *
     * @return folders that end with a slash; none unless overridden
     */
    public List<String> statements() {
        return List.of();
    }

    /** The statements in those files, which are read once. */
    public final Statements texts() {
        Statements known = texts;
        if (known == null) {
            known = new Statements(statements());
            texts = known;
        }
        return known;
    }

    /**
     * Whether {@link #begin} makes the transaction read committed and writable. If not, the store does so through JDBC.
     *
     * @return false unless overridden
     */
    public boolean setsIsolation() {
        return false;
    }

    /**
     * Whether the statement {@code hold_bounds} reads what is committed last, at every isolation level of the caller's
     * transaction, and keeps it from being changed until that ends. Then callers may claim at every level. If not, they may do
     * so only where their transaction is read committed.
     *
     * @return false unless overridden
     */
    public boolean holdsBounds() {
        return false;
    }

    /**
     * What is executed before a transaction of the engine: remembers the settings that it changes.
     *
     * @param idleLimit how long the transaction may be idle before the database is to end it
     * @return statements, maybe none
     */
    public abstract List<String> begin(Duration idleLimit);

    /**
     * What is executed instead of {@link #begin} before a transaction in which handlers run. Where the database can cancel
     * statements that take too long, theirs must not take longer than they may be idle: one that waits for a lock would keep
     * the locks of its whole batch. It must cost no more round trips than {@link #begin}.
     *
     * @param idleLimit how long the transaction, and each of its statements, may take; rounded up
     * @return statements; those of {@link #begin} unless overridden
     */
    public List<String> beginForHandlers(Duration idleLimit) {
        return begin(idleLimit);
    }

    /**
     * What is executed, in a transaction in which handlers run, before a write of the inbox itself that may take longer than
     * {@link #beginForHandlers} allows.
     *
     * @return statements, none unless overridden; they must not end the transaction
     */
    public List<String> liftHandlersLimit() {
        return List.of();
    }

    /**
     * What is executed behind such a write, so that handlers have the limit again.
     *
     * @param idleLimit as for {@link #beginForHandlers}
     * @return statements, none unless overridden; they must not end the transaction
     */
    public List<String> setHandlersLimit(Duration idleLimit) {
        return List.of();
    }

    /**
     * Whether a statement was cancelled because it took longer than {@link #beginForHandlers} allows.
     *
     * @param failure what a statement was refused with
     * @return false unless overridden
     */
    public boolean isCancelled(SQLException failure) {
        return false;
    }

    /**
     * What is executed instead of {@link #begin} before a transaction that reads several tables as they are at one moment.
     * Where {@link #setsIsolation} says so, these statements make it {@link #isolationToRead}.
     *
     * @param idleLimit how long the transaction may be idle before the database is to end it
     * @return statements; those of {@link #begin} unless overridden
     */
    public List<String> beginToRead(Duration idleLimit) {
        return begin(idleLimit);
    }

    /**
     * The isolation level at which all statements of a transaction read what was committed at one moment.
     *
     * @return a level of {@link java.sql.Connection}, or of the driver; repeatable read unless overridden
     */
    public int isolationToRead() {
        return Connection.TRANSACTION_REPEATABLE_READ;
    }

    /**
     * What is executed behind a transaction, to put back the settings that {@link #begin} changed.
     *
     * @return statements, maybe none
     */
    public abstract List<String> end();

    /**
     * The same where the connection commits each statement by itself outside of transactions. It may set that as well, so that
     * a driver which looks at what the server says has nothing left to send; it is set through JDBC in any case. No transaction
     * is open.
     *
     * @return statements, those of {@link #end} unless overridden
     */
    public List<String> endWithAutoCommit() {
        return end();
    }

    /**
     * What is executed before a statement that waits for others.
     *
     * @param timeout how long it may wait; rounded up where the database cannot wait so short a time
     * @return statements, maybe none; they must not end the transaction
     */
    public abstract List<String> setLockTimeout(Duration timeout);

    /**
     * What is executed behind such a statement, to give the handlers their own lock timeout back.
     *
     * @return statements, maybe none; they must not end the transaction
     */
    public abstract List<String> restoreLockTimeout();

    /**
     * What is executed at the beginning of a transaction, so that {@link #verifyTransaction} fails where the transaction is another one
     * by then.
     *
     * @return statements; a savepoint unless overridden
     */
    public List<String> markTransaction() {
        return List.of("SAVEPOINT pigeonhole_guard");
    }

    /**
     * What is executed before the commit, and fails as {@link #isSavepointGone} says where somebody else ended the
     * transaction.
     *
     * @return statements
     */
    public List<String> verifyTransaction() {
        return List.of("RELEASE SAVEPOINT pigeonhole_guard");
    }

    /**
     * What is executed directly before each COMMIT that is sent by itself, and fails where the database would lose it.
     *
     * @return statements that change nothing; none unless overridden
     */
    public List<String> beforeCommit() {
        return List.of();
    }

    /**
     * One statement for all that a transaction with handlers begins with whose first step is the claim of one key: what
     * {@link #beginForHandlers}, {@link #markTransaction} and {@link #setLockTimeout} do, the insert of the key where it is within the days of
     * the ledger and the consumer is not paused, and what {@link #restoreLockTimeout} does. Whoever drops a day of the ledger must be
     * kept from it between the look at the days and the insert. It answers one row: 1 where the key was inserted; -1 where the
     * ledger has it, then with whether the consumer has dead letters; 0 where it was not inserted for another reason, which is
     * then asked for. After an error {@link #restoreLockTimeout} is executed.
     *
     * @param idleLimit as for {@link #beginForHandlers}
     * @return a statement, for the values of {@link #valuesOfClaim}; or null where the database has no such statement, as unless
     *     overridden
     */
    public @Nullable SessionStatement beginWithClaim(Duration idleLimit) {
        return null;
    }

    /**
     * The values of {@link #beginWithClaim}.
     *
     * @param consumer its number
     * @param key an expression for the key
     * @param hash one for the hash of the payload, maybe NULL
     * @param idleLimit as for {@link #beginForHandlers}
     * @param timeout as for {@link #setLockTimeout}, but no longer than a statement may take
     * @return expressions, with commas between them
     */
    public String valuesOfClaim(short consumer, String key, String hash, Duration idleLimit, Duration timeout) {
        throw new UnsupportedOperationException("there is no statement that begins with a claim");
    }

    /**
     * Whether a session does not know the name of a {@link SessionStatement}, of which then nothing was executed.
     *
     * @param failure what its execution was refused with
     * @return false unless overridden
     */
    public boolean isNotPrepared(SQLException failure) {
        return false;
    }

    /**
     * Whether a session cannot parse the text of a {@link SessionStatement}, or may keep none: it may be in a mode in which such a
     * statement is written otherwise. Then the store does without from then on.
     *
     * @param failure what the preparation was refused with
     * @return false unless overridden
     */
    public boolean refusesPreparation(SQLException failure) {
        return false;
    }

    /**
     * Whether a setting that a statement makes under a query timeout of JDBC, as a pool may give each statement, is undone with that
     * limit, or stays though it was to be undone.
     *
     * @return true where the driver puts the limit before the statement as a setting of the session
     */
    public boolean mixesUpSettingsUnderALimit() {
        return false;
    }

    /**
     * Whether the session is another one than at the beginning of the transaction, which a driver may have put in place of one that
     * was lost.
     *
     * @return a query with one truth value; null where drivers do no such thing
     */
    public @Nullable String isSessionOther() {
        return null;
    }

    /**
     * One statement that does what {@link #verifyTransaction} does, and then commits. An error whose class is RETRY_NOW or UNAVAILABLE, or that
     * {@link #isSavepointGone} knows, means that it did not; after another one nobody knows.
     *
     * @return a statement; or null where the two are executed one by one, as unless overridden
     */
    public @Nullable SessionStatement proveAndCommit() {
        return null;
    }

    /**
     * An insert of one key, for a transaction of the caller, that does what the statement {@code hold_bounds} does where it
     * inserts the key, and inserts none that is outside the days of the ledger. Only where {@link #holdsBounds} says so.
     * Parameters: consumer, then the key, four times.
     *
     * @return a statement; or null where the two are executed one by one, as unless overridden
     */
    public @Nullable String holdBoundsAndClaim() {
        return null;
    }

    /**
     * A query for the number of the transaction, for databases that do not report that a savepoint is gone. It is asked after
     * the first statements, until there is one, and must be the same before the commit.
     *
     * @return a query with one value, NULL while nothing was written; or null where {@link #verifyTransaction} is enough
     */
    public @Nullable String transactionNumber() {
        return null;
    }

    /**
     * Whether a row that is inserted with a number of its own makes the database give larger numbers from then on, also if
     * the row is deleted again. If not, the statement {@code next} of {@code counters.sql} reads the next number, and
     * {@code ALTER TABLE … ALTER COLUMN id RESTART WITH …} changes it.
     *
     * @return false unless overridden
     */
    public boolean countsNumbersOfRows() {
        return false;
    }

    /**
     * How many keys one statement may insert into the ledger, at most.
     *
     * @return 500 unless overridden
     */
    public int rowsOfClaim() {
        return 500;
    }

    /**
     * What an error means, by its SQLSTATE and the vendor's code.
     *
     * @param failure the error
     * @return UNKNOWN where nothing is known of it
     */
    public abstract ErrorClass classOf(SQLException failure);

    /**
     * How many bytes a statement may have, where a server ends the connection on a larger one.
     *
     * @param connection a connection that may be asked
     * @return the limit; by default there is none
     * @throws SQLException if the database does not say
     */
    public long largestStatement(Connection connection) throws SQLException {
        return Long.MAX_VALUE;
    }

    /**
     * Whether a row was refused because its key is there already.
     *
     * @param failure the error
     * @return true for a unique or primary key
     */
    public abstract boolean isDuplicateKey(SQLException failure);

    /**
     * Whether the disk is full, or cannot be written.
     *
     * @param failure the error
     * @return true where no message is at fault
     */
    public abstract boolean isFull(SQLException failure);

    /**
     * Whether a statement waited in vain for another transaction.
     *
     * @param failure the error
     * @return true where the wait came to its limit
     */
    public abstract boolean isLockTimeout(SQLException failure);

    /**
     * Whether the savepoint that a statement names does not exist.
     *
     * @param failure the error
     * @return true where it went with its transaction, or never was
     */
    public abstract boolean isSavepointGone(SQLException failure);

    /**
     * Whether a statement cannot be sent for many rows at once, although it can be for one.
     *
     * @param failure the error of a batch of which nothing was done
     * @return false unless overridden
     */
    public boolean refusesBatch(SQLException failure) {
        return false;
    }

    /**
     * Whether the connection is lost with this error, so that nobody knows what became of a COMMIT under way.
     *
     * @param failure the error
     * @return true where it must not be used again
     */
    public boolean isConnectionLost(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || state.startsWith("08");
    }

    /**
     * Whether a handler's SQL would end the transaction.
     *
     * @param sql one or more statements
     * @return true where it must not be executed
     */
    public abstract boolean endsTransaction(String sql);

    /**
     * SQL without comments and strings, for a look at its words. What the server executes although it stands in a comment
     * stays, and so do quoted names, without blanks and semicolons in them.
     *
     * @param sql one or more statements
     * @return the same statements, divided by semicolons
     */
    public abstract String withoutText(String sql);

    /**
     * The name of a savepoint that the database makes of one in SQL. Says what the standard says, where a name without
     * quotes is in capitals.
     *
     * @param written the name, in quotes or without
     * @return the name without quotes
     */
    public String savepointName(String written) {
        return SavepointStep.unquoted(written, name -> name.toUpperCase(Locale.ROOT));
    }

    /**
     * What puts a session back to what it is now: its current schema, role and settings. Asked before a handler executes
     * what may change them; executed behind the handler.
     *
     * @param connection a connection in a transaction
     * @return statements, maybe none; they must not end the transaction
     * @throws SQLException if the database refused
     */
    public List<String> session(Connection connection) throws SQLException {
        return List.of();
    }

    /**
     * Whether {@link java.sql.Statement#setQueryTimeout} holds for all statements of the connection, as a setting that
     * {@link #session} puts back.
     *
     * @return false unless overridden
     */
    public boolean keepsQueryTimeout() {
        return false;
    }

    /**
     * Looks whether what is committed survives a crash.
     *
     * @param connection a connection that commits each statement by itself
     * @throws io.pigeonhole.core.failure.ConfigurationException if it does not, and nobody can want that
     * @throws SQLException if the database refused
     */
    public void checkDurability(Connection connection) throws SQLException {}

    /**
     * Looks whether the statements mean in a session what they have to: its mode and its character sets.
     *
     * @param connection a connection that commits each statement by itself
     * @throws io.pigeonhole.core.failure.ConfigurationException if they do not, with what to change
     * @throws SQLException if the database refused
     */
    public void checkSession(Connection connection) throws SQLException {}

    /**
     * Creates the partitions of a day in ledger and history, as far as they are missing. Called by one program at a time,
     * day after day, before the ledger's bounds move behind the day.
     *
     * @param connection a connection that commits each statement by itself
     * @param day a day in UTC
     * @throws SQLException if the database refused
     */
    public void addDay(Connection connection, LocalDate day) throws SQLException {}

    /**
     * Whether ledger and history have a partition for each day, which can be dropped as a whole. If not, rows are deleted.
     *
     * @return false unless overridden
     */
    public boolean hasDays() {
        return false;
    }

    /**
     * The days that a table has partitions of.
     *
     * @param connection a connection
     * @param table {@code inbox_ledger} or {@code inbox_history}
     * @return days in UTC, oldest first; none unless overridden
     * @throws SQLException if the database refused
     */
    public List<LocalDate> days(Connection connection, String table) throws SQLException {
        return List.of();
    }

    /**
     * Whether the partition of a day ends where the day does. A person may have put several days together, or split one: what ends
     * elsewhere must not be dropped by its name.
     *
     * @param connection a connection
     * @param table {@code inbox_ledger} or {@code inbox_history}
     * @param day a day that {@link #days} returned
     * @return true unless overridden
     * @throws SQLException if the database refused
     */
    public boolean endsWithDay(Connection connection, String table, LocalDate day) throws SQLException {
        return true;
    }

    /**
     * The days before another one whose messages are in its partition of the history: one has all messages since the end of the
     * partition before it, the first one all earlier ones, such as those that were recorded while the clock was behind.
     *
     * @param connection a connection in a transaction
     * @param day a day that {@link #days} returned
     * @return days in UTC, oldest first; none where another program has dropped the partition, and unless overridden
     * @throws SQLException if the database refused
     */
    public List<LocalDate> earlierDays(Connection connection, LocalDate day) throws SQLException {
        return List.of();
    }

    /**
     * Drops the partition of a day. Called by one program at a time, behind the ledger's bounds.
     *
     * @param connection a connection that commits each statement by itself
     * @param table {@code inbox_ledger} or {@code inbox_history}
     * @param day a day that {@link #days} returned, and whose partition {@link #endsWithDay}
     * @throws SQLException if the database refused; {@link #isLockTimeout} where long transactions are in the way
     */
    public void dropDay(Connection connection, String table, LocalDate day) throws SQLException {}

    /**
     * Waits, for about a second, until all transactions have ended that were open when it was called and have written to the
     * history, and does not let others begin to write there meanwhile.
     *
     * @param connection a connection that commits each statement by itself; its settings are to be as before afterwards
     * @throws SQLException one that {@link #isLockTimeout} knows if such a transaction did not end in time, another if the
     *     database refused
     */
    public abstract void awaitHistoryWriters(Connection connection) throws SQLException;

    /**
     * Keeps other programs from changing the schema or creating days, until {@link #unlockSchema}.
     *
     * @param connection a connection that commits each statement by itself
     * @throws SQLException if the database refused, or another program did not end in time
     */
    public void lockSchema(Connection connection) throws SQLException {}

    /**
     * Lets other programs in again.
     *
     * @param connection the same connection
     * @throws SQLException if the database refused
     */
    public void unlockSchema(Connection connection) throws SQLException {}

    @Override
    public final String toString() {
        return name();
    }
}
