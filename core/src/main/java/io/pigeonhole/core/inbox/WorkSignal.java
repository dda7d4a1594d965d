package io.pigeonhole.core.inbox;

import io.pigeonhole.core.store.Backlog.Due;
import java.util.Set;
import java.util.function.Consumer;

/** Passes on where there is work, to whoever wants to know. */
final class WorkSignal {
    private volatile Consumer<Set<Due>> listener = due -> {};

    void tell(Consumer<Set<Due>> newListener) {
        listener = newListener;
    }

    void workIsStored(Set<Due> due) {
        listener.accept(due);
    }
}
