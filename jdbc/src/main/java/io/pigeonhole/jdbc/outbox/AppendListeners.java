package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.core.failure.FailureText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who want to hear of messages that this store has appended. Safe for use by many threads. */
public final class AppendListeners {
    private static final Logger LOG = LoggerFactory.getLogger(AppendListeners.class);

    private final List<BiConsumer<String, Set<Integer>>> listeners = new CopyOnWriteArrayList<>();

    /** A listener is called from now on, until the answer is run. */
    public Runnable add(BiConsumer<String, Set<Integer>> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** What one transaction appends. Used by one thread. */
    final class OfTransaction implements Runnable {
        private final Map<String, Set<Integer>> places = new HashMap<>();

        void add(String destination, int workPartition) {
            places.computeIfAbsent(destination, to -> new TreeSet<>()).add(workPartition);
        }

        /** It is committed. */
        @Override
        public void run() {
            places.forEach((destination, workPartitions) ->
                    listeners.forEach(listener -> call(listener, destination, workPartitions)));
        }
    }

    private static void call(BiConsumer<String, Set<Integer>> listener, String destination, Set<Integer> places) {
        try {
            listener.accept(destination, Set.copyOf(places));
        } catch (Throwable e) {
            // A hint: what is committed is found by those who look.
            LOG.warn("a listener for messages to send failed; it changes nothing", FailureText.readable(e));
        }
    }
}
