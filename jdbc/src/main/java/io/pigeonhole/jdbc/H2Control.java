package io.pigeonhole.jdbc;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Recognises SQL that ends a transaction in H2: what says so, and what commits by itself, such as the definition of a table.
 * What is not seen here is found at the commit.
 */
final class H2Control {
    /** What may hold any words: comments, strings, quoted names, and strings between dollars. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(?:--|//)[^\\n]*|/\\*.*?\\*/|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|`(?:[^`]|``)*+`|\\$\\$.*?\\$\\$",
            Pattern.DOTALL);

    private H2Control() {}

    static boolean endsTransaction(String sql) {
        for (String statement : HARMLESS.matcher(sql).replaceAll(" ").split(";", -1)) {
            if (isEnd(TransactionControl.firstWords(statement), statement)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEnd(List<String> words, String statement) {
        String second = words.get(1);
        return switch (words.get(0)) {
            case "COMMIT", "ALTER", "TRUNCATE", "GRANT", "REVOKE", "SHUTDOWN" -> true;
            case "ROLLBACK" -> !second.equals("TO") && !words.get(2).equals("TO");
            case "BEGIN" -> true;
            case "START" -> second.equals("TRANSACTION");
            case "PREPARE" -> second.equals("COMMIT");
            case "SET" -> second.equals("AUTOCOMMIT");
            case "CREATE", "DROP" ->
                !statement.toUpperCase(java.util.Locale.ROOT).contains("TRANSACTIONAL");
            default -> false;
        };
    }
}
