package io.pigeonhole.jdbc.sql;

import java.util.regex.Pattern;

/**
 * The escapes of JDBC, such as <code>{fn now()}</code>, which the driver of PostgreSQL takes out of SQL before it sends that: what
 * stands in them or beside them can become another statement, of which the text shows nothing.
 */
public final class JdbcEscapes {
    /** It is rewritten as a whole, and only where it is the first. */
    private static final Pattern CALL =
            Pattern.compile("\\A\\s*\\{\\s*(?:\\?\\s*=\\s*)?call\\b", Pattern.CASE_INSENSITIVE);

    /** At the beginning of a statement, as part of a word, or before what may become a comment or a string. */
    private static final Pattern CHANGES_MORE =
            Pattern.compile("(?:\\A|;)[\\s(]*\\{|[\\w$\"\\x{80}-\\x{10ffff}]\\{|\\}(?![\\s),;:+=<>|}]|\\z)");

    /** The driver puts together anew what stands in it, and takes strings with backslashes for others than the server does. */
    private static final Pattern FUNCTION = Pattern.compile("\\{fn *[\\p{L}\"]", Pattern.CASE_INSENSITIVE);

    private JdbcEscapes() {}

    /**
     * Whether an escape may change more than a part of an expression.
     *
     * @param sql with at least one brace
     */
    public static boolean hideSomething(String sql) {
        if (sql.indexOf('\\') < 0) {
            return CHANGES_MORE.matcher(withoutCall(sql, false)).find();
        }
        return FUNCTION.matcher(sql).find()
                || withoutCall(sql, false).indexOf('{') >= 0
                || withoutCall(sql, true).indexOf('{') >= 0;
    }

    private static String withoutCall(String sql, boolean escapes) {
        return CALL.matcher(SqlText.ofPostgres(sql, SqlText.Rest.NAMES, escapes))
                .replaceFirst(" ");
    }
}
