package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.Backlog.Due;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes on where there is work, to all who want to know. */
final class WorkSignal {
    private static final Logger log = LoggerFactory.getLogger(WorkSignal.class);

    private final List<Consumer<Set<Due>>> listeners = new CopyOnWriteArrayList<>();

    /** The listener is called from now on, until the answer is run. */
    Runnable add(Consumer<Set<Due>> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void workIsStored(Set<Due> due) {
        listeners.forEach(listener -> call(listener, due));
    }

    private static void call(Consumer<Set<Due>> listener, Set<Due> due) {
        try {
            listener.accept(due);
        } catch (Throwable e) {
            // A hint: what is stored is stored, and found by those who look.
            log.warn("a listener for stored work failed; it changes nothing", FailureText.readable(e));
        } finally {
            Interrupts.clear();
        }
    }
}
