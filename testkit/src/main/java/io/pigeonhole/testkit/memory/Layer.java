package io.pigeonhole.testkit.memory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table as one transaction sees it: what is committed, and on top of it what the transaction did itself. */
final class Layer<V> {
    private final Map<Row, V> committed;
    private final Undo undo;
    private final Map<Row, Optional<V>> own = new LinkedHashMap<>();

    Layer(Map<Row, V> committed, Undo undo) {
        this.committed = committed;
        this.undo = undo;
    }

    @Nullable
    V get(Row row) {
        Optional<V> mine = own.get(row);
        if (mine == null) {
            return committed.get(row);
        }
        return mine.isPresent() ? mine.get() : null;
    }

    boolean has(Row row) {
        return get(row) != null;
    }

    List<V> all() {
        Map<Row, V> seen = new LinkedHashMap<>(committed);
        applyTo(seen);
        return List.copyOf(seen.values());
    }

    void put(Row row, V value) {
        set(row, Optional.of(value));
    }

    void remove(Row row) {
        set(row, Optional.empty());
    }

    private void set(Row row, Optional<V> value) {
        Optional<V> before = own.put(row, value);
        undo.add(() -> {
            if (before == null) {
                own.remove(row);
            } else {
                own.put(row, before);
            }
        });
    }

    void apply() {
        applyTo(committed);
    }

    private void applyTo(Map<Row, V> table) {
        own.forEach((row, value) -> {
            if (value.isPresent()) {
                table.put(row, value.get());
            } else {
                table.remove(row);
            }
        });
    }
}
