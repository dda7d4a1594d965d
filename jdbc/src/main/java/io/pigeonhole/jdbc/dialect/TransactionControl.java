package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Refuses SQL that ends a transaction. What is not seen here is found at the commit, but then it is too late for what was
 * committed. Safe for use by many threads.
 */
public final class TransactionControl {
    private static final int MOST_KNOWN = 256;
    private static final int LONGEST_KNOWN = 4096;

    private static final Pattern ROLLBACK = Pattern.compile("\\b(?:ROLLBACK|ABORT)\\b", Pattern.CASE_INSENSITIVE);

    /** SQL that is made of text, which may stand in a variable. */
    private static final Pattern DYNAMIC =
            Pattern.compile("\\b(?:EXECUTE\\s+IMMEDIATE|PREPARE\\s+\\S+\\s+FROM)\\b", Pattern.CASE_INSENSITIVE);

    /** What a driver takes out, so that one word may stand in two parts. */
    private static final Pattern ESCAPE = Pattern.compile("\\{\\s*(?:fn|oj)?\\s*|\\}", Pattern.CASE_INSENSITIVE);

    private static final Pattern IN_PARTS = Pattern.compile("ROLLBACK|ABORT", Pattern.CASE_INSENSITIVE);

    private final Predicate<String> endsTransaction;
    private final Predicate<String> makesForTransaction;
    private final UnaryOperator<String> plain;
    private final UnaryOperator<String> savepointName;

    /** To look at a text costs more than to prepare it, and a handler prepares the same few with every message. */
    private final Set<String> knownHarmless = ConcurrentHashMap.newKeySet();

    /**
     * For one database.
     *
     * @param endsTransaction whether SQL does
     * @param makesForTransaction whether SQL may make what lasts as long as the transaction, and so would outlive its handler
     * @param plain takes comments and strings out of SQL, but leaves quoted names
     * @param savepointName what the database makes of a name that is written, quoted or not
     */
    public TransactionControl(
            Predicate<String> endsTransaction,
            Predicate<String> makesForTransaction,
            UnaryOperator<String> plain,
            UnaryOperator<String> savepointName) {
        this.makesForTransaction = makesForTransaction;
        this.endsTransaction = endsTransaction;
        this.plain = plain;
        this.savepointName = savepointName;
    }

    /** What SQL does about savepoints, in its order. */
    public List<SavepointStep> savepoints(String sql) {
        return knownHarmless.contains(sql) ? List.of() : SavepointStep.in(sql, plain, savepointName);
    }

    /** What is done about a savepoint of the connection. */
    public SavepointStep savepoint(SavepointStep.Kind kind, Savepoint savepoint) throws SQLException {
        return SavepointStep.of(kind, savepoint, savepointName);
    }

    /**
     * Refuses SQL that ends the transaction.
     *
     * @return what else it may do
     * @throws IllegalStateException if it does
     */
    public Effect refuse(String sql) {
        if (knownHarmless.contains(sql)) {
            return Effect.NONE;
        }
        List<SavepointStep> savepoints = savepoints(sql);
        if (endsTransaction.test(sql) || savepoints.stream().anyMatch(SavepointStep::isOurs)) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": the engine ends the transaction, together with the claim of the message, and keeps"
                    + " savepoints of its own. What commits by itself, such as definitions and the upkeep of tables, and"
                    + " what would stay on the connection, such as locks of the session, LISTEN and cursors WITH HOLD,"
                    + " belongs outside of handlers."
                    + " Use pg_advisory_xact_lock instead of pg_advisory_lock, SELECT … FOR UPDATE instead of GET_LOCK,"
                    + " PreparedStatement of JDBC instead of PREPARE, INITIALLY DEFERRED in the definition of a constraint"
                    + " instead of SET CONSTRAINTS (all are checked before the commit),"
                    + " CREATE TEMP TABLE … ON COMMIT DROP on PostgreSQL, where it ends with the handler, on MariaDB CREATE OR REPLACE"
                    + " TEMPORARY TABLE, and none on H2; what a server may execute or not, as in"
                    + " /*! … */, is written without the comment, and an escape of JDBC, as in {oj …}, stands apart within"
                    + " an expression");
        }
        if (makesForTransaction.test(sql)) {
            return Effect.TRANSACTION;
        }
        if (SessionChange.mayBeIn(sql)) {
            return Effect.SESSION;
        }
        if (!savepoints.isEmpty()) {
            return Effect.SAVEPOINT;
        }
        if (sql.length() <= LONGEST_KNOWN) {
            remember(sql);
        }
        return Effect.NONE;
    }

    /** Whether SQL that is refused may be meant to roll something back. */
    public boolean mayRollBack(String sql) {
        // What is a string depends on the session where there is a backslash.
        String text = sql.indexOf('\\') < 0 ? plain.apply(sql) : sql;
        return ROLLBACK.matcher(text).find()
                || DYNAMIC.matcher(text).find()
                || (text.indexOf('{') >= 0
                        && IN_PARTS.matcher(ESCAPE.matcher(text).replaceAll("")).find());
    }

    /** Whether SQL goes back to a savepoint. */
    public boolean goesBack(String sql) {
        return SavepointStep.goBack(savepoints(sql));
    }

    /** What a handler's SQL may do besides its work. */
    public enum Effect {
        NONE,
        SAVEPOINT,
        SESSION,
        /** It may make what lasts as long as the transaction, and change the session besides. */
        TRANSACTION
    }

    /** Bounded, because there are programs that write values into their statements. */
    private void remember(String sql) {
        if (knownHarmless.size() >= MOST_KNOWN) {
            knownHarmless.clear();
        }
        knownHarmless.add(sql);
    }

    /** Three words in upper case, empty where there are fewer. */
    public static List<String> firstWords(String statement) {
        List<String> words = new ArrayList<>(List.of(statement.strip().split("\\s+", 4)));
        words.replaceAll(word -> word.toUpperCase(Locale.ROOT));
        while (words.size() < 3) {
            words.add("");
        }
        return words;
    }
}
