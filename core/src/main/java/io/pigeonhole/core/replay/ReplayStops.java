package io.pigeonhole.core.replay;

import java.util.ArrayList;
import java.util.List;

/**
 * Whom a request to stop a {@link Replay} ends: all runs that are under way, or the next one where none is. Safe for use by many
 * threads.
 */
final class ReplayStops {
    private final List<ReplayStop> running = new ArrayList<>();
    private boolean next;

    /** A run begins, and ends when the answer is asked to. Must be followed by {@link #end}. */
    synchronized ReplayStop begin() {
        ReplayStop stop = new ReplayStop();
        if (next) {
            stop.ask();
            next = false;
        }
        running.add(stop);
        return stop;
    }

    synchronized void end(ReplayStop stop) {
        running.remove(stop);
    }

    synchronized void ask() {
        next = running.isEmpty();
        running.forEach(ReplayStop::ask);
    }
}
