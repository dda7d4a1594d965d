package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.dialect.SavepointStep;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.sql.JdbcEscapes;
import io.pigeonhole.jdbc.sql.SqlText;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recognises SQL that ends a transaction in PostgreSQL, makes another one of it, changes for the rest of it when constraints are
 * checked, or makes what outlives it on the connection, such as a lock, a temporary table or a prepared statement, behind other
 * statements too. Only the text of a statement can end it: a function
 * or procedure that tries is refused by the server.
 */
public final class PostgresControl {
    /** A text without any of these words needs no closer look. */
    private static final Pattern SUSPICIOUS = Pattern.compile(
            "\\b(commit|end|rollback|abort|prepare|reset|discard|characteristics|transaction\\w*"
                    + "|pg_(?:try_)?advisory_lock(?:_shared)?|temp(?:orary)?|pg_temp|listen|hold|constraints)\\b",
            Pattern.CASE_INSENSITIVE);

    /**
     * A lock of the session, which stays on the pooled connection when the transaction ends; and when constraints are checked,
     * which holds for the other messages of the transaction, and nobody can read what it was before. A column may be named
     * constraints.
     */
    private static final Pattern OUTLIVES_HANDLER = Pattern.compile(
            "\\bpg_(?:try_)?advisory_lock(?:_shared)?\"?\\s*\\(|\\bSET\\s+CONSTRAINTS\\s+[^\\s=\\[.]",
            Pattern.CASE_INSENSITIVE);

    /** What stays on the pooled connection, where it hides the table of the same name from whoever comes next. */
    private static final Pattern TEMPORARY = Pattern.compile(
            "\\bCREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:(?:LOCAL|GLOBAL)\\s+)?TEMP(?:ORARY)?\\s"
                    + "|\\bCREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:RECURSIVE\\s+)?\\w+\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?\"?pg_temp\\b"
                    + "|(?<!\\b(?:INSERT|MERGE)\\s{1,99})\\bINTO\\s+(?:TABLE\\s+)?\"?pg_temp\"?\\s*\\."
                    + "|\\bSELECT\\b.*\\bINTO\\s+(?:(?:LOCAL|GLOBAL)\\s+)?TEMP(?:ORARY)?\\s+[\\w\"]",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern DROPPED = Pattern.compile("\\bON\\s+COMMIT\\s+DROP\\b", Pattern.CASE_INSENSITIVE);

    /** Its rows stay on the pooled connection. A query may have a part named hold. */
    private static final Pattern HELD_CURSOR =
            Pattern.compile("\\bCURSOR\\s+WITH\\s+HOLD\\b", Pattern.CASE_INSENSITIVE);

    /** Its text is a string, wherever it stands among the statements. */
    private static final Pattern BLOCK = Pattern.compile("(?:^|;)\\s*DO\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern BODY = Pattern.compile("\\bbegin\\s+atomic\\b", Pattern.CASE_INSENSITIVE);

    /** A text without any of these words makes nothing that ends with the transaction. */
    private static final Pattern MAKING =
            Pattern.compile("\\b(?:temp(?:orary)?|pg_temp|cursor)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern CURSOR = Pattern.compile("\\bDECLARE\\b[^;]*\\bCURSOR\\b", Pattern.CASE_INSENSITIVE);

    private PostgresControl() {}

    /** Whether it may make a temporary table or a cursor; in a block rather too often than too seldom. */
    public static boolean makesForTransaction(String sql) {
        if (!MAKING.matcher(sql).find()) {
            return false;
        }
        String plain = withoutText(sql);
        return makes(plain) || (BLOCK.matcher(plain).find() && makes(sql));
    }

    private static boolean makes(String text) {
        return TEMPORARY.matcher(text).find() || CURSOR.matcher(text).find();
    }

    /** What stands outside of strings and comments, as a session reads it by the standard. */
    public static String asStandard(String sql) {
        return SqlText.ofPostgres(sql, SqlText.Rest.NAMES, false);
    }

    private static String withEscapes(String sql) {
        return SqlText.ofPostgres(sql, SqlText.Rest.NAMES, true);
    }

    /** The same as any session may read it: one statement may stand there twice. */
    static String withoutText(String sql) {
        String text = asStandard(sql);
        if (sql.indexOf('\\') < 0) {
            return text;
        }
        // The session may take a backslash for one that escapes, or not.
        String other = withEscapes(sql);
        return other.equals(text) ? text : text + ';' + other;
    }

    public static String savepointName(String written) {
        return SavepointStep.unquoted(written, name -> name.toLowerCase(Locale.ROOT));
    }

    /** Or may end it: where that depends on the session, or on what the driver makes of it. */
    public static boolean endsTransaction(String sql) {
        if (sql.indexOf('{') >= 0 && JdbcEscapes.hideSomething(sql)) {
            return true;
        }
        if (sql.indexOf('\\') >= 0 && savepointsDependOnTheSession(sql)) {
            return true;
        }
        if (!SUSPICIOUS.matcher(sql).find()) {
            return false;
        }
        if (outlivesHandler(sql)) {
            return true;
        }
        return isEndIn(SqlText.ofPostgres(sql, SqlText.Rest.STATEMENTS, false))
                || (sql.indexOf('\\') >= 0 && isEndIn(SqlText.ofPostgres(sql, SqlText.Rest.STATEMENTS, true)));
    }

    private static boolean savepointsDependOnTheSession(String sql) {
        return !SavepointStep.in(sql, PostgresControl::asStandard, PostgresControl::savepointName)
                .equals(SavepointStep.in(sql, PostgresControl::withEscapes, PostgresControl::savepointName));
    }

    private static boolean isEndIn(String text) {
        boolean inBody = false;
        for (String statement : text.replace('}', ' ').split(";", -1)) {
            List<String> words = TransactionControl.firstWords(statement);
            if (isEnd(words, inBody) || HELD_CURSOR.matcher(statement).find()) {
                return true;
            }
            // The statements of a function's body stand between BEGIN ATOMIC and END.
            inBody = inBody
                    ? !words.get(0).equals("END")
                    : words.get(0).equals("CREATE") && BODY.matcher(statement).find();
        }
        return false;
    }

    /** Names may stand in quotes. */
    private static boolean leavesTable(String plain) {
        return Stream.of(plain.split(";", -1)).anyMatch(PostgresControl::isTableLeft);
    }

    private static boolean isTableLeft(String statement) {
        return TEMPORARY.matcher(statement).find()
                && !DROPPED.matcher(statement).find();
    }

    /** In a block too. */
    private static boolean outlivesHandler(String sql) {
        String plain = withoutText(sql);
        return leavesTable(plain)
                || OUTLIVES_HANDLER.matcher(plain).find()
                || (BLOCK.matcher(plain).find() && OUTLIVES_HANDLER.matcher(sql).find());
    }

    /** Such as {@code SET TRANSACTION READ ONLY} and {@code SET LOCAL transaction_read_only = on}. */
    private static boolean isOfTransaction(String word) {
        return word.equals("TRANSACTION")
                || word.startsWith("TRANSACTION_READ_ONLY")
                || word.startsWith("TRANSACTION_ISOLATION");
    }

    private static boolean isEnd(List<String> words, boolean inBody) {
        return switch (words.get(0)) {
            case "COMMIT", "ABORT" -> true;
            case "END" -> !inBody;
            case "ROLLBACK" -> !words.get(1).equals("TO") && !words.get(2).equals("TO");
            case "RESET" -> words.get(1).equals("ALL");
            case "DISCARD", "PREPARE", "LISTEN" -> true;
            case "SET" ->
                isOfTransaction(words.get(1))
                        || isOfTransaction(words.get(2))
                        || words.get(2).equals("CHARACTERISTICS");
            default -> false;
        };
    }
}
