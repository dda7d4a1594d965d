package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;

/** Counts, in a document, the names that an enum does not have, but reads as another value, or as null, because it says so. */
final class UnknownNames {
    private UnknownNames() {}

    static void add(DeserializationContext context) {
        context.setAttribute(UnknownNames.class, count(context) + 1);
    }

    /** How many there were so far. */
    static int count(DeserializationContext context) {
        @Nullable Object count = context.getAttribute(UnknownNames.class);
        return count instanceof Integer before ? before : 0;
    }
}
