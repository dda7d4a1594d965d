package io.pigeonhole.jdbc.dialect;

import java.util.Set;
import java.util.regex.Pattern;

/** Decides from the text of a handler's SQL whether it may change the session, rather too often than too seldom. */
public final class SessionChange {
    /**
     * What stands before a statement and says nothing. Some databases execute what stands in comments with a mark; where
     * comments stand in one another, and where lines end, they do not agree.
     */
    private static final Pattern NOTHING = Pattern.compile(
            "\\A(?:\\s|--[^\\n\\r]*+(?:\\r?\\n|\\z)|/\\*(?!M?!)(?:(?!/\\*|\\*/).)*+\\*/|\\()+", Pattern.DOTALL);

    /** On PostgreSQL: the function, the view whose rows can be updated, and names in escapes, which may be either. */
    private static final Pattern CALL =
            Pattern.compile("\\b(?:set_config|pg_settings)\\b|\\bU&\"", Pattern.CASE_INSENSITIVE);

    /** Statements that set something, except those that do so for one other statement. */
    private static final Pattern SETTING =
            Pattern.compile("(?is)(?:\\A|;)\\s*(?:USE|SET(?!\\s+STATEMENT\\b(?!.*\\bFOR\\s+(?:SET|USE)\\b)))\\b");

    /** Statements that change nothing about a session by themselves. */
    private static final Set<String> HARMLESS = Set.of(
            "",
            "SELECT",
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "REPLACE",
            "WITH",
            "VALUES",
            "TABLE",
            "COPY",
            "LOCK",
            "EXPLAIN",
            "SHOW",
            "SAVEPOINT",
            "RELEASE",
            "ROLLBACK",
            "FETCH",
            "DECLARE",
            "CLOSE",
            "NOTIFY",
            "CREATE",
            "ALTER",
            "DROP");

    private SessionChange() {}

    public static boolean mayBeIn(String sql) {
        for (String statement : sql.split(";", -1)) {
            String begin = NOTHING.matcher(statement).replaceFirst("");
            String word = TransactionControl.firstWords(begin).get(0);
            if (!HARMLESS.contains(word)) {
                return true;
            }
        }
        return CALL.matcher(sql).find();
    }

    /** Whether SQL without comments and strings sets something of the session by itself; a procedure may, too. */
    public static boolean isSetIn(String plain) {
        return SETTING.matcher(plain).find();
    }
}
