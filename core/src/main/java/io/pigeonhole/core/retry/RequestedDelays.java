package io.pigeonhole.core.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The delays that exceptions ask for. Immutable. */
final class RequestedDelays {
    static final RequestedDelays NONE = new RequestedDelays(List.of());

    private final List<Rule<?>> rules;

    private record Rule<X extends Throwable>(
            Class<X> failure, Function<? super X, ? extends @Nullable Duration> delay) {
        @Nullable
        Duration of(Throwable thrown) {
            return failure.isInstance(thrown) ? delay.apply(failure.cast(thrown)) : null;
        }
    }

    private RequestedDelays(List<Rule<?>> rules) {
        this.rules = List.copyOf(rules);
    }

    <X extends Throwable> RequestedDelays with(
            Class<X> failure, Function<? super X, ? extends @Nullable Duration> delay) {
        List<Rule<?>> more = new ArrayList<>(rules);
        more.add(new Rule<>(failure, delay));
        return new RequestedDelays(more);
    }

    /** What it asks for, or else the outermost of its causes; null where none does. */
    @Nullable
    Duration of(Throwable failure) {
        for (Throwable cause : AskedExceptions.of(failure)) {
            Duration delay = ofItself(cause);
            if (delay != null) {
                return delay;
            }
        }
        return null;
    }

    private @Nullable Duration ofItself(Throwable failure) {
        for (Rule<?> rule : rules) {
            Duration delay = rule.of(failure);
            if (delay != null) {
                return delay;
            }
        }
        return null;
    }
}
