package io.pigeonhole.jdbc.sql;

import io.pigeonhole.jdbc.dialect.H2;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Distinguishes the statements in SQL from what may hold any words: comments, which may stand in one another, strings,
 * quoted names, and strings between dollars. As PostgreSQL and H2 read it. What is not closed goes to the end.
 */
public final class SqlText {
    private static final Pattern DIVIDES = Pattern.compile("[\\s;]");

    /** What is left of SQL. */
    public enum Rest {
        /** The statements only. */
        STATEMENTS,
        /** Quoted names too, as one word each. */
        NAMES,
        /** Everything but comments. */
        STRINGS
    }

    private static final String PLAIN = "'(?:[^']|'')*+'?+";
    private static final String ESCAPED = "'(?:[^'\\\\]|\\\\.|'')*+'?+";

    private static final Pattern POSTGRES = postgres(PLAIN);
    private static final Pattern POSTGRES_ESCAPES = postgres(ESCAPED);

    private static final Pattern H2 = Pattern.compile(
            "(?<comment>(?:--|//)[^\\n\\r]*+)|(?<name>\"(?:[^\"]|\"\")*+\"?+|`(?:[^`]|``)*+`?+)|" + PLAIN
                    + "|\\$\\$.*?(?:\\$\\$|\\z)|(?<word>[\\p{javaJavaIdentifierPart}&&[^$0-9]]\\p{javaJavaIdentifierPart}*+)",
            Pattern.DOTALL);

    private SqlText() {}

    /** A word may hold dollars, and an E that ends it begins no string. What continues a string is read as its beginning is. */
    private static Pattern postgres(String string) {
        String letter = "A-Za-z_\\x{80}-\\x{10ffff}";
        return Pattern.compile(
                "(?<comment>--[^\\n\\r]*+)|(?<name>\"(?:[^\"]|\"\")*+\"?+)|[eE]" + ESCAPED
                        + "(?:(?:\\s|--[^\\n\\r]*+[\\n\\r])*+" + ESCAPED + ")*+|" + string + "|(?<dollars>\\$(?:["
                        + letter
                        + "][" + letter + "0-9]*+)?\\$).*?(?:\\k<dollars>|\\z)|(?<word>[" + letter + "][" + letter
                        + "0-9$]*+)",
                Pattern.DOTALL);
    }

    /**
     * As PostgreSQL reads it.
     *
     * @param escapes whether a backslash escapes in every string, as where standard_conforming_strings is off
     */
    public static String ofPostgres(String sql, Rest rest, boolean escapes) {
        return read(sql, rest, escapes ? POSTGRES_ESCAPES : POSTGRES);
    }

    public static String ofH2(String sql, Rest rest) {
        return read(sql, rest, H2);
    }

    private static String read(String sql, Rest rest, Pattern pattern) {
        StringBuilder left = new StringBuilder(sql.length());
        Matcher token = pattern.matcher(sql);
        int at = 0;
        while (at < sql.length()) {
            token.region(at, sql.length());
            if (sql.startsWith("/*", at)) {
                at = endOfComment(sql, at);
                left.append(' ');
            } else if (token.lookingAt()) {
                left.append(rest(token, rest));
                at = token.end();
            } else {
                left.append(sql.charAt(at));
                at++;
            }
        }
        return left.toString();
    }

    private static String rest(Matcher token, Rest rest) {
        if (token.group("comment") != null) {
            return " ";
        }
        if (token.group("word") != null || rest == Rest.STRINGS) {
            return token.group();
        }
        boolean isName = token.group("name") != null;
        return isName && rest == Rest.NAMES ? oneWord(token.group()) : " ";
    }

    private static int endOfComment(String sql, int begin) {
        int depth = 0;
        int at = begin;
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
        return at;
    }

    /** A quoted name without what divides words and statements. */
    public static String oneWord(String quoted) {
        return DIVIDES.matcher(quoted).replaceAll("_");
    }
}
