package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.Backlog.Due;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes on where there is work, to whoever wants to know. */
final class WorkSignal {
    private static final Logger log = LoggerFactory.getLogger(WorkSignal.class);

    private volatile Consumer<Set<Due>> listener = due -> {};

    void tell(Consumer<Set<Due>> newListener) {
        listener = newListener;
    }

    void workIsStored(Set<Due> due) {
        try {
            listener.accept(due);
        } catch (Throwable e) {
            // A hint: what is stored is stored, and found by those who look.
            log.warn("whoever is told of stored work failed; it changes nothing", FailureText.readable(e));
        } finally {
            Interrupts.clear();
        }
    }
}
