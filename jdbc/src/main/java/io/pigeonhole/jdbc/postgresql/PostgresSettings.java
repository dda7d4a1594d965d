package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.SqlText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The settings of PostgreSQL that the SQL of a transaction's handlers has named, with what they were before, besides those of
 * {@link PostgresSession}. They are asked for once, when the first statement names them. Used by one thread at a time.
 *
 * <p>That value may be one of the transaction only, which a function has set where nobody saw it, and PostgreSQL does not say
 * what the session has beneath it. So handlers change these settings for the transaction only, and they are put back for the
 * transaction only: nothing of it outlives the commit.
 */
public final class PostgresSettings {
    /** What stands before a statement, also within a block and where it is executed as text. */
    private static final String BEGINNING =
            "(?<beginning>(?:\\A|;|\\b(?:BEGIN|THEN|ELSE|LOOP)\\b|\\bEXECUTE\\b[^;']*')\\s*+)?";

    /** In the bodies of functions too, and rather too often than too seldom: what is no setting has no value. */
    private static final Pattern SET = Pattern.compile(
            BEGINNING
                    + "\\b(?:SET|RESET)\\s+(?:(?:SESSION|(?<local>LOCAL))\\s+)?(?<name>TIME\\s+ZONE|NAMES|XML\\s+OPTION"
                    + "|[\\p{L}_\"][\\p{L}\\p{N}_$\"]*(?:\\.[\\p{L}_\"][\\p{L}\\p{N}_$\"]*)*)",
            Pattern.CASE_INSENSITIVE);

    private static final String CALL = "\\bset_config\"?+\\s*+\\(\\s*+(?:setting_name\\s*+(?:=>|:=)\\s*+)?+";

    private static final Pattern CALLED = Pattern.compile(CALL, Pattern.CASE_INSENSITIVE);

    private static final Pattern NAMED =
            Pattern.compile(CALL + "E?'(?<name>[^'\\\\]+)'(?:\\s*::\\s*\\w+)?\\s*,", Pattern.CASE_INSENSITIVE);

    private static final Pattern UNNAMED = Pattern.compile(
            CALL + "(?!E?'[^'\\\\]+'(?:\\s*::\\s*\\w+)?\\s*,)(?<argument>[^\\s,]*)", Pattern.CASE_INSENSITIVE);

    private static final Pattern VIEW = Pattern.compile("\\bpg_settings\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern READS = Pattern.compile("[\\s(]*select\\b");

    private static final Pattern BLOCK = Pattern.compile("\\s*do\\b");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n\\r]*", Pattern.DOTALL);

    private static final Pattern ESCAPED = Pattern.compile("\\bu&\"");

    /** These are put back anyway, are none, or cannot be set by the value that is read. */
    private static final Set<String> NOT_THESE = Set.of(
            "session_authorization",
            "role",
            "search_path",
            "schema",
            "row_security",
            "statement_timeout",
            "lock_timeout",
            "synchronous_commit",
            "idle_in_transaction_session_timeout",
            "authorization",
            "session",
            "local",
            "seed",
            "all");

    private final Map<String, String> before = new TreeMap<>();

    /**
     * A handler is about to execute SQL that changes the session.
     *
     * @throws IllegalStateException if it does not say which setting it changes, or changes one of ours
     */
    void changing(Connection connection, String sql) throws SQLException {
        List<String> unknown = new ArrayList<>(names(sql));
        unknown.removeAll(before.keySet());
        if (unknown.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT n, coalesce(current_setting(n, true), '') FROM unnest(CAST(? AS text[])) AS n")) {
            statement.setArray(1, connection.createArrayOf("text", unknown.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    before.put(row.getString(1), row.getString(2));
                }
            }
        }
    }

    /** Begins with a semicolon, or is empty. One that was not there before is left empty: it cannot be taken away again. */
    String restore() {
        if (before.isEmpty()) {
            return "";
        }
        StringBuilder sql = new StringBuilder(200);
        before.forEach((name, value) -> {
            sql.append(sql.isEmpty() ? ";\nSELECT " : ", ");
            sql.append(
                    "CASE WHEN coalesce(current_setting(%1$s, true), '') <> %2$s THEN set_config(%1$s, %2$s, true) END"
                            .formatted(literal(name), literal(value)));
        });
        return sql.toString();
    }

    private static String literal(String text) {
        return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /**
     * The settings that SQL names.
     *
     * @throws IllegalStateException if it changes one of them for the session, or one of ours, or does not say which
     */
    public static Set<String> names(String sql) {
        String text = SqlText.ofPostgres(sql, SqlText.Rest.STRINGS, false);
        String plain = PostgresControl.withoutText(sql).toLowerCase(Locale.ROOT);
        refuseOtherWays(sql, plain);
        boolean hasBlock = hasBlock(plain);
        Set<String> read = new LinkedHashSet<>(List.of(text, sql));
        for (String commented : hasBlock ? List.of(text, withoutComments(text)) : List.of(text)) {
            List<String> ways = hasBlock ? List.of(commented, withoutDoubledQuotes(commented)) : List.of(commented);
            read.addAll(ways);
            String executed = hasBlock ? commented.toLowerCase(Locale.ROOT) : plain;
            SET.matcher(executed)
                    .results()
                    .filter(PostgresSettings::isOfSession)
                    .forEach(found -> refuse(known(name(found)), sql));
            if (executed.contains("set_config")) {
                requireOne(ways, sql);
            }
        }
        Set<String> names = new LinkedHashSet<>();
        for (String each : read) {
            SET.matcher(each).results().forEach(found -> add(name(found), names));
            NAMED.matcher(each).results().forEach(found -> add(name(found), names));
        }
        if (names.stream().anyMatch(name -> name.startsWith("pigeonhole."))) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": settings named pigeonhole are the engine's");
        }
        if (names.stream().anyMatch(name -> name.startsWith("transaction_"))) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": the transaction is the engine's, and what it may do cannot be put back");
        }
        return names;
    }

    /** Rows of the view pg_settings are settings of the session, and names in escapes are not worth to be read. */
    private static void refuseOtherWays(String sql, String plain) {
        boolean mayUpdate = Stream.of(plain.split(";", -1))
                .anyMatch(statement -> BLOCK.matcher(statement).lookingAt()
                        ? VIEW.matcher(sql).find()
                        : VIEW.matcher(statement).find()
                                && !READS.matcher(statement).lookingAt());
        if (mayUpdate) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": a row of pg_settings that is updated is a setting of the session, which would stay on the"
                    + " connection. Change it for the transaction: SET LOCAL, or set_config('…', …, true). Only SELECT"
                    + " may name pg_settings");
        }
        if (ESCAPED.matcher(plain).find()) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": a name in escapes (U&\"…\") may be that of set_config or pg_settings. Write it without them");
        }
    }

    /**
     * What a block executes as text has its quotes doubled, and what it executes itself has not: one of both readings has to be in
     * order.
     */
    private static void requireOne(List<String> ways, String sql) {
        IllegalStateException refusal = null;
        for (String way : ways) {
            try {
                requireForTransaction(way, sql);
                return;
            } catch (IllegalStateException e) {
                refusal = e;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static void requireForTransaction(String text, String sql) {
        Matcher unnamed = UNNAMED.matcher(text);
        if (unnamed.find()) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": the engine puts back what it sets, and has to know its name. Write it into the statement, as in"
                    + " set_config('app.tenant', ?, true), instead of " + unnamed.group("argument"));
        }
        NAMED.matcher(text)
                .results()
                .filter(found -> !isTrue(lastArgument(text, found.end())))
                .forEach(found -> refuse(known(name(found)), sql));
    }

    /** Whether SQL sets something of the session or the transaction by itself, in a block too. */
    static boolean areIn(String sql) {
        String text = SqlText.ofPostgres(sql, SqlText.Rest.STRINGS, false);
        String plain = PostgresControl.withoutText(sql).toLowerCase(Locale.ROOT);
        // Strings are values, except those of a block.
        return hasBlock(plain) ? Stream.of(text, withoutComments(text)).anyMatch(PostgresSettings::sets) : sets(plain);
    }

    private static boolean sets(String executed) {
        return CALLED.matcher(executed).find()
                || SET.matcher(executed).results().anyMatch(found -> found.group(1) != null);
    }

    private static boolean hasBlock(String plain) {
        return Stream.of(plain.split(";", -1))
                .anyMatch(statement -> BLOCK.matcher(statement).lookingAt());
    }

    /** Within a block too, whose body is one string; what looks like a comment may be within a string of it. */
    private static String withoutComments(String text) {
        return COMMENT.matcher(text).replaceAll(" ");
    }

    private static String withoutDoubledQuotes(String text) {
        return text.replace("''", "'");
    }

    /** It stands where a statement begins, not behind the table of an UPDATE, and is not for the transaction. */
    private static boolean isOfSession(MatchResult found) {
        return found.group(1) != null && found.group(2) == null;
    }

    private static String name(MatchResult found) {
        return found.group(found.groupCount());
    }

    private static void refuse(String name, String sql) {
        if (!NOT_THESE.contains(name)) {
            throw new IllegalStateException("a handler may not execute " + ErrorsWithoutValues.quoted(sql)
                    + ": it changes " + name
                    + " for the session, and what the session had before cannot be found out, so that it would stay on the"
                    + " connection. Change it for the transaction: SET LOCAL " + name + " = …, or set_config('" + name
                    + "', …, true), where true stands in the statement");
        }
    }

    /** What stands before the end of a call, which begins at an argument. */
    private static String lastArgument(String text, int from) {
        int begin = from;
        int depth = 0;
        boolean quoted = false;
        for (int i = from; i < text.length(); i++) {
            char each = text.charAt(i);
            quoted ^= each == '\'';
            if (!quoted && each == '(') {
                depth++;
            } else if (!quoted && each == ')' && depth-- == 0) {
                return text.substring(begin, i);
            } else if (!quoted && each == ',' && depth == 0) {
                begin = i + 1;
            }
        }
        return "";
    }

    private static boolean isTrue(String argument) {
        return argument.strip().equalsIgnoreCase("true");
    }

    private static void add(String written, Set<String> names) {
        String known = known(written);
        if (!NOT_THESE.contains(known)) {
            names.add(known);
        }
    }

    private static String known(String written) {
        String name = written.replace("\"", "").toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
        return switch (name) {
            case "time zone" -> "timezone";
            case "names" -> "client_encoding";
            case "xml option" -> "xmloption";
            default -> name;
        };
    }
}
