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

    /** A set begins. Answers whether it is in no other: then names that were read before it say nothing of its elements. */
    static boolean begin(DeserializationContext context) {
        boolean outermost = context.getAttribute(EnumOfCreator.class) == null;
        if (outermost) {
            context.setAttribute(EnumOfCreator.class, new HashMap<>());
        }
        return outermost;
    }

    /** The outermost set has ended. */
    static void end(DeserializationContext context) {
        context.setAttribute(EnumOfCreator.class, null);
    }

    /** A creator has read a name as this value, or as the null of this type. */
    @SuppressWarnings("unchecked") // Nobody else sets it.
    static void read(DeserializationContext context, String name, Object valueOrType) {
        if (context.getAttribute(EnumOfCreator.class) instanceof Map<?, ?> known) {
            String first = ((Map<Object, String>) known).putIfAbsent(valueOrType, name);
            if (first != null && !first.equals(name)) {
                add(context);
            }
        }
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
