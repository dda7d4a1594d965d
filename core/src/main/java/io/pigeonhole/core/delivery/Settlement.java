package io.pigeonhole.core.delivery;

import io.pigeonhole.core.inbox.Outcome;

/** Is called when a message is settled, so that it can be acknowledged. */
@FunctionalInterface
public interface Settlement {
    /**
     * The message is settled: the database has taken it over. Called once, after the commit, on the delivery thread; it
     * should only make a note. After a crash in between the broker delivers the message again, and it settles as a duplicate.
     *
     * @param outcome what became of the message, {@linkplain Outcome#settled() settled}
     */
    void settled(Outcome outcome);
}
