package io.pigeonhole.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Refuses SQL that ends a transaction. What is not seen here is found at the commit, but then it is too late for what was
 * committed. Safe for use by many threads.
 */
final class TransactionControl {
    private static final int MOST_KNOWN = 256;
    private static final int LONGEST_KNOWN = 4096;

    private final Predicate<String> endsTransaction;

    /** To look at a text costs more than to prepare it, and a handler prepares the same few with every message. */
    private final Set<String> knownHarmless = ConcurrentHashMap.newKeySet();

    TransactionControl(Predicate<String> endsTransaction) {
        this.endsTransaction = endsTransaction;
    }

    /**
     * Refuses SQL that ends the transaction.
     *
     * @throws IllegalStateException if it does
     */
    void refuse(String sql) {
        if (knownHarmless.contains(sql)) {
            return;
        }
        if (endsTransaction.test(sql)) {
            throw new IllegalStateException("a handler may not execute «" + sql
                    + "»: the engine ends the transaction, together with the claim of the message");
        }
        if (sql.length() <= LONGEST_KNOWN) {
            remember(sql);
        }
    }

    /** Bounded, because there are programs that write values into their statements. */
    private void remember(String sql) {
        if (knownHarmless.size() >= MOST_KNOWN) {
            knownHarmless.clear();
        }
        knownHarmless.add(sql);
    }

    /** Three words in upper case, empty where there are fewer. */
    static List<String> firstWords(String statement) {
        List<String> words = new ArrayList<>(List.of(statement.strip().split("\\s+", 4)));
        words.replaceAll(word -> word.toUpperCase(Locale.ROOT));
        while (words.size() < 3) {
            words.add("");
        }
        return words;
    }
}
