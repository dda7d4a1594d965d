package io.pigeonhole.examples.chain;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which messages of a broker come again, and when: of those seen for the first time one of five, half of them at once and half
 * of them some time later. Remembers which orders the messages were about. Safe for use by many threads.
 */
final class Duplicates {
    private static final int SHARE = 5;
    private static final int LATER = 200;

    private final Set<String> ids = new HashSet<>();
    private final Set<String> references = new HashSet<>();
    private final Deque<Sending> later = new ArrayDeque<>();
    private long injected;
    private @Nullable Exception failure;

    /** Sends a message again. */
    @FunctionalInterface
    interface Sending {
        void send() throws Exception;
    }

    /** One message was seen. */
    synchronized void seen(String id, String reference, Sending again) throws Exception {
        references.add(reference);
        if (!ids.add(id)) {
            return;
        }
        int choice = Math.floorMod(id.hashCode(), 2 * SHARE);
        if (choice == 0) {
            inject(again);
        } else if (choice == 1) {
            later.add(again);
        }
        if (later.size() > LATER) {
            inject(later.remove());
        }
    }

    private void inject(Sending again) throws Exception {
        again.send();
        injected++;
    }

    /** Sends what was left for later. */
    synchronized void flush() throws Exception {
        while (!later.isEmpty()) {
            inject(later.remove());
        }
    }

    synchronized void failed(Exception e) {
        failure = failure == null ? e : failure;
    }

    synchronized void requireHealthy() {
        if (failure != null) {
            throw new IllegalStateException("messages cannot be sent again", failure);
        }
    }

    synchronized long injected() {
        return injected;
    }

    /** The orders that messages were about. */
    synchronized Set<String> references() {
        return Set.copyOf(references);
    }

    synchronized int seenOrders() {
        return references.size();
    }
}
