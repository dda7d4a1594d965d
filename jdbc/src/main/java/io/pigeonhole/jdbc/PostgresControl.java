package io.pigeonhole.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Recognises SQL that ends a transaction in PostgreSQL, or makes another one of it, behind other statements too. Only the
 * text of a statement can end it: a function or procedure that tries is refused by the server.
 */
final class PostgresControl {
    /** A text without any of these words needs no closer look. */
    private static final Pattern SUSPICIOUS = Pattern.compile(
            "\\b(commit|end|rollback|abort|prepare|reset|discard|characteristics|transaction\\w*)\\b",
            Pattern.CASE_INSENSITIVE);

    /** What may hold any words: comments, strings, quoted names, and strings between dollars. */
    private static final Pattern HARMLESS = Pattern.compile(
            "--[^\\n]*|/\\*.*?\\*/|\\b[eE]'(?:[^'\\\\]|\\\\.|'')*+'|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\""
                    + "|(?<dollars>\\$(?:[\\p{L}_][\\p{L}\\p{N}_]*)?\\$).*?\\k<dollars>",
            Pattern.DOTALL);

    private static final Pattern BODY = Pattern.compile("\\bbegin\\s+atomic\\b", Pattern.CASE_INSENSITIVE);

    private PostgresControl() {}

    static String withoutText(String sql) {
        return SavepointStep.plain(sql, HARMLESS);
    }

    static String savepointName(String written) {
        return SavepointStep.unquoted(written, name -> name.toLowerCase(Locale.ROOT));
    }

    static boolean endsTransaction(String sql) {
        if (!SUSPICIOUS.matcher(sql).find()) {
            return false;
        }
        boolean inBody = false;
        for (String statement : HARMLESS.matcher(sql).replaceAll(" ").split(";", -1)) {
            List<String> words = TransactionControl.firstWords(statement);
            if (isEnd(words, inBody)) {
                return true;
            }
            // The statements of a function's body stand between BEGIN ATOMIC and END.
            inBody = inBody
                    ? !words.get(0).equals("END")
                    : words.get(0).equals("CREATE") && BODY.matcher(statement).find();
        }
        return false;
    }

    /** Such as {@code SET TRANSACTION READ ONLY} and {@code SET LOCAL transaction_read_only = on}. */
    private static boolean isOfTransaction(String word) {
        return word.equals("TRANSACTION")
                || word.startsWith("TRANSACTION_READ_ONLY")
                || word.startsWith("TRANSACTION_ISOLATION");
    }

    private static boolean isEnd(List<String> words, boolean inBody) {
        return switch (words.get(0)) {
            case "COMMIT", "ABORT" -> true;
            case "END" -> !inBody;
            case "ROLLBACK" -> !words.get(1).equals("TO") && !words.get(2).equals("TO");
            case "PREPARE" -> words.get(1).equals("TRANSACTION");
            case "RESET" -> words.get(1).equals("ALL");
            case "DISCARD" -> true;
            case "SET" ->
                isOfTransaction(words.get(1))
                        || isOfTransaction(words.get(2))
                        || words.get(2).equals("CHARACTERISTICS");
            default -> false;
        };
    }
}
