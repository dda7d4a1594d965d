package io.pigeonhole.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Recognises SQL that ends a transaction, behind other statements too. In PostgreSQL only the text of a statement can: a
 * function or procedure that tries is refused by the server. What is not seen here is found at the commit, but then it is
 * too late for what was committed.
 */
final class TransactionControl {
    /** A text without any of these words needs no closer look. */
    private static final Pattern SUSPICIOUS =
            Pattern.compile("\\b(commit|end|rollback|abort|prepare)\\b", Pattern.CASE_INSENSITIVE);

    /** What may hold any words: comments, strings, quoted names, and strings between dollars. */
    private static final Pattern HARMLESS = Pattern.compile(
            "--[^\\n]*|/\\*.*?\\*/|\\b[eE]'(?:[^'\\\\]|\\\\.|'')*+'|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\""
                    + "|(?<dollars>\\$(?:[\\p{L}_][\\p{L}\\p{N}_]*)?\\$).*?\\k<dollars>",
            Pattern.DOTALL);

    /** To look at a text costs more than to prepare it, and a handler prepares the same few with every message. */
    private static final Set<String> KNOWN_HARMLESS = ConcurrentHashMap.newKeySet();

    private static final int MOST_KNOWN = 256;
    private static final int LONGEST_KNOWN = 4096;

    private TransactionControl() {}

    /**
     * Refuses SQL that ends the transaction.
     *
     * @throws IllegalStateException if it does
     */
    static void refuse(String sql) {
        if (KNOWN_HARMLESS.contains(sql)) {
            return;
        }
        if (endsTransaction(sql)) {
            throw new IllegalStateException("a handler may not execute «" + sql
                    + "»: the engine ends the transaction, together with the claim of the message");
        }
        if (sql.length() <= LONGEST_KNOWN) {
            remember(sql);
        }
    }

    /** Bounded, because there are programs that write values into their statements. */
    private static void remember(String sql) {
        if (KNOWN_HARMLESS.size() >= MOST_KNOWN) {
            KNOWN_HARMLESS.clear();
        }
        KNOWN_HARMLESS.add(sql);
    }

    static boolean endsTransaction(String sql) {
        if (!SUSPICIOUS.matcher(sql).find()) {
            return false;
        }
        boolean inBody = false;
        for (String statement : HARMLESS.matcher(sql).replaceAll(" ").split(";", -1)) {
            List<String> words = firstWords(statement);
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

    /** Three words in upper case, empty where there are fewer. */
    private static List<String> firstWords(String statement) {
        List<String> words = new ArrayList<>(List.of(statement.strip().split("\\s+", 4)));
        words.replaceAll(word -> word.toUpperCase(Locale.ROOT));
        while (words.size() < 3) {
            words.add("");
        }
        return words;
    }
}
