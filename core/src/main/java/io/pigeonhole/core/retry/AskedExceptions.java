package io.pigeonhole.core.retry;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.PermanentFailure;
import java.util.List;

/** Which exceptions of a failure the rules of a policy are asked about: itself, and what it was caused by. */
final class AskedExceptions {
    private AskedExceptions() {}

    /**
     * The outermost first. Nothing behind a {@link PermanentFailure}: whoever threw it has judged its causes.
     *
     * @return at least the failure itself
     */
    static List<Throwable> of(Throwable failure) {
        List<Throwable> all = Causes.of(failure);
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) instanceof PermanentFailure) {
                return all.subList(0, i + 1);
            }
        }
        return all;
    }
}
