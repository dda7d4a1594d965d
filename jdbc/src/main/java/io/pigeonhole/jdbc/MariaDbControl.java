package io.pigeonhole.jdbc;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Recognises SQL that ends a transaction in MariaDB and MySQL: what says so, and what commits by itself, such as the
 * definition of a table. What a procedure does is not seen here, but at the commit.
 */
final class MariaDbControl {
    /** What may hold any words: comments, strings with either quote, and quoted names. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(?:--(?=\\s|$)|#)[^\\n]*|/\\*(?!M?!).*?\\*/|'(?:[^'\\\\]|\\\\.|'')*+'|\"(?:[^\"\\\\]|\\\\.|\"\")*+\"|`(?:[^`]|``)*+`",
            Pattern.DOTALL);

    /** The server executes what stands in these comments. */
    private static final Pattern EXECUTED = Pattern.compile("/\\*M?!\\d*(.*?)\\*/", Pattern.DOTALL);

    private static final Pattern AUTOCOMMIT =
            Pattern.compile("(?is)\\s*SET\\b.*\\bautocommit\\b.*|\\s*SET\\b.*@@(?:\\w+\\.)?autocommit.*");

    private MariaDbControl() {}

    static boolean endsTransaction(String sql) {
        String text = EXECUTED.matcher(HARMLESS.matcher(sql).replaceAll(" ")).replaceAll(" $1 ");
        for (String statement : text.split(";", -1)) {
            if (isEnd(TransactionControl.firstWords(statement))
                    || AUTOCOMMIT.matcher(statement).matches()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEnd(List<String> words) {
        String second = words.get(1);
        return switch (words.get(0)) {
            case "COMMIT", "XA", "ALTER", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "LOCK", "UNLOCK" -> true;
            case "ROLLBACK" -> !second.equals("TO") && !words.get(2).equals("TO");
            case "BEGIN" -> !second.equals("NOT");
            case "START" -> second.equals("TRANSACTION");
            case "CREATE", "DROP" ->
                !second.equals("TEMPORARY") && !words.get(2).equals("TEMPORARY");
            case "ANALYZE", "OPTIMIZE", "REPAIR" -> second.equals("TABLE");
            default -> false;
        };
    }
}
