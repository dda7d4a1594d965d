package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.jdbc.sql.SqlText;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recognises SQL that may end a transaction in H2: everything but the statements that are known not to. What is not seen
 * here is found at the commit. A temporary table stays on the connection, or for the other messages of the transaction.
 */
public final class H2Control {
    /** What may stand before a statement's first word: parentheses, and the braces of JDBC's calls. */
    private static final Pattern BEGINNING = Pattern.compile("\\A(?:[\\s({]|\\?\\s*=)+");

    /** Those that are put back. Most others are the database's, and commit. */
    private static final Set<String> SETTINGS = Set.of("SCHEMA", "LOCK_TIMEOUT", "QUERY_TIMEOUT", "TIME");

    private H2Control() {}

    static String withoutText(String sql) {
        return SqlText.ofH2(sql, SqlText.Rest.NAMES);
    }

    public static boolean endsTransaction(String sql) {
        for (String statement : SqlText.ofH2(sql, SqlText.Rest.STATEMENTS).split(";", -1)) {
            String begin = BEGINNING.matcher(statement).replaceFirst("");
            if (!begin.isBlank() && !isAllowed(TransactionControl.firstWords(begin))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAllowed(List<String> words) {
        String second = words.get(1);
        return switch (words.get(0).replaceFirst("(?s)[^A-Z].*", "")) {
            case "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "WITH", "VALUES", "TABLE", "FROM" -> true;
            case "CALL", "SHOW", "EXPLAIN", "USE", "SAVEPOINT", "RELEASE" -> true;
            case "ROLLBACK" -> second.equals("TO") || words.get(2).equals("TO");
            case "SET" -> second.startsWith("@") || SETTINGS.contains(second);
            default -> false;
        };
    }
}
