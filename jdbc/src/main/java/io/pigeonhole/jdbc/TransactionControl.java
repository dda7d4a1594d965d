package io.pigeonhole.jdbc;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises statements that end a transaction. It looks at the beginning of the text only; what hides behind another
 * statement is found at the commit.
 */
final class TransactionControl {
    /** White space, semicolons and comments, then the first two words. */
    private static final Pattern BEGINNING = Pattern.compile(
            "\\A(?:[\\s;]|--[^\\n]*(?:\\n|\\z)|/\\*(?s:.*?)\\*/)*+([A-Za-z]+)(?:\\s+([A-Za-z]+))?(?:\\s+([A-Za-z]+))?");

    private TransactionControl() {}

    /**
     * Refuses a statement that ends the transaction.
     *
     * @throws IllegalStateException if it does
     */
    static void refuse(String sql) {
        if (endsTransaction(sql)) {
            throw new IllegalStateException("a handler may not execute «" + sql
                    + "»: the engine ends the transaction, together with the claim of the message");
        }
    }

    static boolean endsTransaction(String sql) {
        Matcher beginning = BEGINNING.matcher(sql);
        if (!beginning.find()) {
            return false;
        }
        return switch (beginning.group(1).toUpperCase(Locale.ROOT)) {
            case "COMMIT", "END", "ABORT" -> true;
            case "ROLLBACK" -> !isWord(beginning.group(2), "TO") && !isWord(beginning.group(3), "TO");
            case "PREPARE" -> isWord(beginning.group(2), "TRANSACTION");
            default -> false;
        };
    }

    private static boolean isWord(@Nullable String found, String word) {
        return word.equalsIgnoreCase(found);
    }
}
