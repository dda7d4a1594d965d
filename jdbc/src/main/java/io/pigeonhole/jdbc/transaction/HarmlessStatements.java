package io.pigeonhole.jdbc.transaction;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements that a transaction has found to do nothing but write. Handlers defer the same one or two again and again, as the same
 * objects, so that a look at these comes first: a set would cost a deferred write a twentieth of its time.
 */
final class HarmlessStatements {
    private final Set<String> texts = new HashSet<>();
    private @Nullable String last;
    private @Nullable String beforeLast;

    @SuppressWarnings("ReferenceEquality") // The set decides where they are other objects.
    boolean contains(String sql) {
        if (sql == last || sql == beforeLast) {
            return true;
        }
        if (!texts.contains(sql)) {
            return false;
        }
        beforeLast = last;
        last = sql;
        return true;
    }

    void add(String sql) {
        texts.add(sql);
    }
}
