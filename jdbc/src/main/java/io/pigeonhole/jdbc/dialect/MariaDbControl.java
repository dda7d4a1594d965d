package io.pigeonhole.jdbc.dialect;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises SQL that may end a transaction in MariaDB and MySQL, or outlive it: everything but the statements that are known
 * not to. What a procedure does is not seen here, but at the commit.
 */
public final class MariaDbControl {
    private static final String ESCAPED = "(?:[^%1$s\\\\]|\\\\.|%1$s%1$s)*+";
    private static final String PLAIN = "(?:[^%1$s]|%1$s%1$s)*+";

    /** What may hold any words: comments, strings with either quote, and quoted names. */
    private static final Pattern HARMLESS = harmless(ESCAPED, ESCAPED);

    /** The same in sessions with ANSI_QUOTES, and with NO_BACKSLASH_ESCAPES: where a string ends depends on sql_mode. */
    private static final List<Pattern> IN_ALL_MODES =
            List.of(HARMLESS, harmless(ESCAPED, PLAIN), harmless(PLAIN, PLAIN));

    /** The server executes what stands in these comments, if it is not older than they say. */
    private static final Pattern EXECUTED = Pattern.compile("/\\*M?!\\d*(.*?)(?:\\*/|\\z)", Pattern.DOTALL);

    /** What may stand before a statement's first word: parentheses, and the braces of JDBC's calls. */
    private static final Pattern BEGINNING = Pattern.compile("\\A(?:[\\s({]|\\?\\s*=)+");

    /**
     * What would change the transaction, or what our own statements mean, and cannot be put back; and settings of a quoted
     * name, of which nothing is left here.
     */
    private static final Pattern SETTING = Pattern.compile(
            "(?is)SET\\b(?:.*(?:[\\s,.]|@@))?(?:autocommit|timestamp|insert_id|tx_isolation|transaction_isolation"
                    + "|tx_read_only|transaction_read_only)\\s*:?=.*"
                    + "|SET\\b(?:.*(?:,|\\.|@@|\\b(?:SESSION|LOCAL|GLOBAL)))?\\s*:?=.*");

    /** Settings for one statement. */
    private static final Pattern FOR_ONE =
            Pattern.compile("(?is)(?<settings>SET\\s+STATEMENT\\b.*?)\\bFOR\\s+(?<statement>.*)");

    /** A lock of the session, which stays on the pooled connection when the transaction ends. */
    private static final Pattern SESSION_LOCK = Pattern.compile("\\bGET_LOCK[`\"]?\\s*\\(", Pattern.CASE_INSENSITIVE);

    /** A plain one outlives a rollback, and the replay of its handler would find it. MySQL knows no other. */
    private static final Pattern TEMPORARY = Pattern.compile("(?is)CREATE\\s+TEMPORARY\\s+TABLE\\b.*");

    private static final Pattern REPLACED = Pattern.compile("(?is)CREATE\\s+OR\\s+REPLACE\\s+TEMPORARY\\s+TABLE\\b.*");

    /** What is about savepoints must be seen as such, and so not stand behind a setting. */
    private static final Set<String> SAVEPOINTS = Set.of("SAVEPOINT", "ROLLBACK", "RELEASE");

    private MariaDbControl() {}

    private static Pattern harmless(String single, String quoted) {
        return Pattern.compile(
                "(?:--(?=\\s|$)|#)[^\\n]*|/\\*(?!M?!).*?\\*/|'" + single.formatted("'") + "'|\""
                        + quoted.formatted("\"") + "\"|`(?:[^`]|``)*+`",
                Pattern.DOTALL);
    }

    static String withoutText(String sql) {
        return withoutText(sql, HARMLESS);
    }

    private static String withoutText(String sql, Pattern harmless) {
        return EXECUTED.matcher(SavepointStep.plain(sql, harmless)).replaceAll(" $1 ");
    }

    public static boolean endsTransaction(String sql) {
        return endsTransaction(sql, REPLACED);
    }

    static boolean endsTransactionOfMySql(String sql) {
        return endsTransaction(sql, TEMPORARY);
    }

    /** Or may end it, or does something else about savepoints and settings, where the session reads it otherwise. */
    private static boolean endsTransaction(String sql, Pattern creation) {
        if (sql.indexOf('\\') < 0) {
            return endsTransaction(sql, HARMLESS, creation);
        }
        return IN_ALL_MODES.stream()
                .anyMatch(mode -> endsTransaction(sql, mode, creation) || !isSameAsUsual(sql, mode));
    }

    private static boolean isSameAsUsual(String sql, Pattern mode) {
        return SessionChange.isSetIn(withoutText(sql, mode)) == SessionChange.isSetIn(withoutText(sql))
                && savepoints(sql, mode).equals(savepoints(sql, HARMLESS));
    }

    private static List<SavepointStep> savepoints(String sql, Pattern mode) {
        return SavepointStep.in(sql, text -> withoutText(text, mode), name -> name);
    }

    private static boolean endsTransaction(String sql, Pattern harmless, Pattern creation) {
        String text = harmless.matcher(sql).replaceAll(" ");
        // Whether the server executes it depends on its version, and with it where a string in it begins and ends.
        if (EXECUTED.matcher(text).find()
                || SESSION_LOCK.matcher(withoutText(sql, harmless)).find()) {
            return true;
        }
        for (String statement : text.split(";", -1)) {
            if (!isHarmless(BEGINNING.matcher(statement).replaceFirst(""), creation)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isHarmless(String statement, Pattern creation) {
        Matcher setting = FOR_ONE.matcher(statement);
        if (setting.matches()) {
            String one = setting.group("statement");
            return !SETTING.matcher(setting.group("settings")).matches()
                    && !SAVEPOINTS.contains(TransactionControl.firstWords(one).get(0))
                    && isHarmless(one, creation);
        }
        return statement.isBlank()
                || creation.matcher(statement).matches()
                || (isAllowed(TransactionControl.firstWords(statement))
                        && !SETTING.matcher(statement).matches());
    }

    /** There are more statements that commit by themselves than anybody remembers, so that these are named. */
    private static boolean isAllowed(List<String> words) {
        String second = words.get(1);
        String third = words.get(2);
        return switch (words.get(0).replaceFirst("(?s)[^A-Z].*", "")) {
            case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES", "TABLE" -> true;
            case "CALL", "DO", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "USE", "SIGNAL" -> true;
            case "LOAD" -> second.equals("DATA") || second.equals("XML");
            case "SAVEPOINT", "RELEASE" -> true;
            case "ROLLBACK" -> second.equals("TO") || third.equals("TO");
            case "SET" ->
                !Set.of("STATEMENT", "TRANSACTION", "PASSWORD", "DEFAULT").contains(second)
                        && !third.equals("TRANSACTION");
            case "DROP" -> second.equals("TEMPORARY") && third.equals("TABLE");
            default -> false;
        };
    }
}
