package io.pigeonhole.core.failure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the causes of a throwable that anybody may have made: causes may form a cycle, may have no end, and
 * {@code getCause} may throw. For stores and sources that classify what a handler threw.
 */
public final class Causes {
    /** More than any exception has that a person wrote. */
    private static final int MOST = 100;

    private Causes() {}

    /**
     * A throwable and its causes.
     *
     * @param failure the throwable
     * @return the throwable first, then its causes, each once and at most a hundred; those that can be read
     */
    public static List<Throwable> of(Throwable failure) {
        List<Throwable> causes = new ArrayList<>(4);
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>(8));
        Throwable next = failure;
        while (next != null && causes.size() < MOST && seen.add(next)) {
            causes.add(next);
            next = causeOf(next);
        }
        return causes;
    }

    private static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (Throwable e) {
            // Whatever a class of the application throws here, no cause of it can be read.
            return null;
        }
    }
}
