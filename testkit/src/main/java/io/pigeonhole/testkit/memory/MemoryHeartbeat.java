package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Prolongs leases, each time in a transaction of its own. */
final class MemoryHeartbeat implements Heartbeat {
    private static final Duration IDLE_LIMIT = Duration.ofMinutes(1);

    private final InMemoryStore store;
    private final Tables tables;

    MemoryHeartbeat(InMemoryStore store, Tables tables) {
        this.store = store;
        this.tables = tables;
    }

    @Override
    public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
        store.probe();
        Changes changes = new Changes(tables, IDLE_LIMIT);
        try {
            Set<Long> prolonged = new Leasing(changes, new Work(changes)).prolong(consumer, items, duration);
            changes.commit();
            return prolonged;
        } finally {
            changes.close();
        }
    }

    /** Nothing is kept between the calls. */
    @Override
    public void close() {}
}
