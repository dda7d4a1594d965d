package io.pigeonhole.jdbc;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Recognises SQL that ends a transaction in PostgreSQL, behind other statements too. Only the text of a statement can: a
 * function or procedure that tries is refused by the server.
 */
final class PostgresControl {
    /** A text without any of these words needs no closer look. */
    private static final Pattern SUSPICIOUS =
            Pattern.compile("\\b(commit|end|rollback|abort|prepare)\\b", Pattern.CASE_INSENSITIVE);

    /** What may hold any words: comments, strings, quoted names, and strings between dollars. */
    private static final Pattern HARMLESS = Pattern.compile(
            "--[^\\n]*|/\\*.*?\\*/|\\b[eE]'(?:[^'\\\\]|\\\\.|'')*+'|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\""
                    + "|(?<dollars>\\$(?:[\\p{L}_][\\p{L}\\p{N}_]*)?\\$).*?\\k<dollars>",
            Pattern.DOTALL);

    private PostgresControl() {}

    static boolean endsTransaction(String sql) {
        if (!SUSPICIOUS.matcher(sql).find()) {
            return false;
        }
        boolean inBody = false;
        for (String statement : HARMLESS.matcher(sql).replaceAll(" ").split(";", -1)) {
            List<String> words = TransactionControl.firstWords(statement);
            // The statements of a function's body stand between BEGIN ATOMIC and END.
            inBody |= words.get(0).equals("CREATE");
            if (isEnd(words, inBody)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEnd(List<String> words, boolean inBody) {
        return switch (words.get(0)) {
            case "COMMIT", "ABORT" -> true;
            case "END" -> !inBody;
            case "ROLLBACK" -> !words.get(1).equals("TO") && !words.get(2).equals("TO");
            case "PREPARE" -> words.get(1).equals("TRANSACTION");
            default -> false;
        };
    }
}
