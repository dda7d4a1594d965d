package io.pigeonhole.jackson;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;

/**
 * Counts, in a document, the names that an enum does not have, but reads as another value, or as null, because it says so. Where a
 * creator reads the names, only those count that are read as what another name was read as before: it does not say which it has.
 */
final class UnknownNames {
    private UnknownNames() {}

    /** A creator has read a name. */
    static void read(DeserializationContext context, String name, @Nullable Object value) {
        Map<Object, String> names = namesOf(context);
        String first = names.putIfAbsent(value == null ? UnknownNames.class : value, name);
        if (first != null && !first.equals(name)) {
            add(context);
        }
    }

    @SuppressWarnings("unchecked") // Nobody else sets it.
    private static Map<Object, String> namesOf(DeserializationContext context) {
        @Nullable Object names = context.getAttribute(EnumOfCreator.class);
        if (names instanceof Map<?, ?> known) {
            return (Map<Object, String>) known;
        }
        Map<Object, String> none = new HashMap<>();
        context.setAttribute(EnumOfCreator.class, none);
        return none;
    }

    static void add(DeserializationContext context) {
        context.setAttribute(UnknownNames.class, count(context) + 1);
    }

    /** How many there were so far. */
    static int count(DeserializationContext context) {
        @Nullable Object count = context.getAttribute(UnknownNames.class);
        return count instanceof Integer before ? before : 0;
    }
}
