package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.jdbc.sql.SqlText;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a handler does about a savepoint, in SQL or by its connection. */
public record SavepointStep(Kind kind, String name) {
    /** A text without any of these words needs no closer look. */
    private static final Pattern SUSPICIOUS =
            Pattern.compile("\\b(?:SAVEPOINT|ROLLBACK|RELEASE)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern STATEMENT = Pattern.compile(
            "\\s*(?:ROLLBACK(?:\\s+(?:WORK|TRANSACTION))?\\s+TO(?:\\s+SAVEPOINT)?\\s+(?<back>\\S+)"
                    + "|SAVEPOINT\\s+(?<set>\\S+)"
                    + "|RELEASE(?:\\s+SAVEPOINT)?\\s+(?<release>\\S+)).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** What is done about it. */
    public enum Kind {
        SET,
        BACK,
        RELEASE
    }

    /**
     * What stands in SQL.
     *
     * @param plain takes comments and strings out
     * @param name the name that a database makes of one that is written
     */
    public static List<SavepointStep> in(String sql, UnaryOperator<String> plain, UnaryOperator<String> name) {
        if (!SUSPICIOUS.matcher(sql).find()) {
            return List.of();
        }
        List<SavepointStep> steps = new ArrayList<>();
        for (String statement : plain.apply(sql).split(";", -1)) {
            Matcher found = STATEMENT.matcher(statement);
            if (found.matches()) {
                for (Kind kind : Kind.values()) {
                    String written = found.group(kind.name().toLowerCase(java.util.Locale.ROOT));
                    if (written != null) {
                        steps.add(new SavepointStep(kind, name.apply(written)));
                    }
                }
            }
        }
        return steps;
    }

    /** Whether the first of them that matters for what is deferred is of this kind; a release does not. */
    public static boolean begin(List<SavepointStep> steps, Kind kind) {
        for (SavepointStep step : steps) {
            if (step.kind() != Kind.RELEASE) {
                return step.kind() == kind;
            }
        }
        return false;
    }

    /** Whether one of them goes back. */
    public static boolean goBack(List<SavepointStep> steps) {
        return steps.stream().anyMatch(step -> step.kind() == Kind.BACK);
    }

    /** What is done about a savepoint of JDBC; drivers quote its name. */
    static SavepointStep of(Kind kind, Savepoint savepoint, UnaryOperator<String> name) throws SQLException {
        String given;
        try {
            given = savepoint.getSavepointName();
        } catch (SQLException e) {
            return new SavepointStep(kind, "number " + savepoint.getSavepointId());
        }
        return new SavepointStep(kind, name.apply(SqlText.oneWord('"' + given.replace("\"", "\"\"") + '"')));
    }

    /** Whether one of the same name would stand before ours: a rollback to it would leave the half of a message. */
    boolean isOurs() {
        // Names with escapes are not worth to be read.
        return name.regionMatches(true, 0, "pigeonhole", 0, 10) || name.regionMatches(true, 0, "U&\"", 0, 3);
    }

    /** SQL without what a pattern finds, and with quoted names as one word each. */
    static String plain(String sql, Pattern harmless) {
        return harmless.matcher(sql).replaceAll(found -> {
            char first = found.group().charAt(0);
            return first == '"' || first == '`' ? Matcher.quoteReplacement(SqlText.oneWord(found.group())) : " ";
        });
    }

    /** The name without its quotes. */
    public static String unquoted(String written, UnaryOperator<String> folded) {
        char first = written.charAt(0);
        if (first != '"' && first != '`') {
            return folded.apply(written);
        }
        String quote = String.valueOf(first);
        String inner = written.substring(1, Math.max(1, written.length() - 1));
        return inner.replace(quote + quote, quote);
    }
}
