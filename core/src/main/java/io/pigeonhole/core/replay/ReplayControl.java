package io.pigeonhole.core.replay;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.SkippedMessage;
import java.util.List;
import java.util.Optional;

/**
 * Looks at runs over the history and steers them, from any process: for consoles and command lines. Who steered a run last,
 * and why, is kept with it. Safe for use by many threads. A crash leaves a change made or not made.
 */
public final class ReplayControl {
    private static final int MOST_CHANGES = 100;

    private final ReplayStore runs;

    private ReplayControl(ReplayStore runs) {
        this.runs = runs;
    }

    /**
     * The control of a store's runs.
     *
     * @param store the store
     * @return the control
     */
    public static ReplayControl of(InboxStore<?> store) {
        return new ReplayControl(store.replays());
    }

    /**
     * All runs, those at their end included.
     *
     * @return in the order in which they were made
     * @throws PigeonholeException if the database refused
     */
    public List<ReplayProgress> list() {
        return runs.list();
    }

    /**
     * A run.
     *
     * @param name its name
     * @return the run as it is now, or empty
     * @throws PigeonholeException if the database refused
     */
    public Optional<ReplayProgress> find(String name) {
        return runs.find(name);
    }

    /**
     * The messages that a run passed because their handler failed.
     *
     * @param name the name of a run
     * @param after the place to begin behind, 0 for the first
     * @param limit how many at most
     * @return in the order of their places
     * @throws PigeonholeException if the database refused
     */
    public List<SkippedMessage> skipped(String name, long after, int limit) {
        return runs.skipped(name, after, limit);
    }

    /**
     * Pauses a run, after the batch that is under way. Whoever runs it returns.
     *
     * @param name the name of a run
     * @param by who, and why
     * @return the run as it is now: paused, or as it was where it was at its end or had failed
     * @throws PigeonholeException if there is no such run, or the database refused
     */
    public ReplayProgress pause(String name, Author by) {
        return change(name, ReplayState.PAUSED, List.of(ReplayState.WAITING, ReplayState.RUNNING), by);
    }

    /**
     * Lets a run go on that is paused or has failed: the next {@link Replay#run} takes it up where it was.
     *
     * @param name the name of a run
     * @param by who, and why
     * @return the run as it is now
     * @throws PigeonholeException if there is no such run, or the database refused
     */
    public ReplayProgress resume(String name, Author by) {
        return change(name, ReplayState.WAITING, List.of(ReplayState.PAUSED, ReplayState.FAILED), by);
    }

    /**
     * Gives a run up for ever. The effects of what it did stay; the days of history that it needed are free to go.
     *
     * @param name the name of a run
     * @param by who, and why
     * @return the run as it is now: cancelled, or finished where it was
     * @throws PigeonholeException if there is no such run, or the database refused
     */
    public ReplayProgress cancel(String name, Author by) {
        return change(
                name,
                ReplayState.CANCELLED,
                List.of(ReplayState.WAITING, ReplayState.RUNNING, ReplayState.PAUSED, ReplayState.FAILED),
                by);
    }

    private ReplayProgress change(String name, ReplayState to, List<ReplayState> from, Author by) {
        for (int i = 0; i < MOST_CHANGES; i++) {
            ReplayProgress found = require(name);
            if (!from.contains(found.state())) {
                return found;
            }
            if (runs.change(name, found.state(), to, by.who(), by.reason())) {
                return require(name);
            }
        }
        throw new PigeonholeException("the state of the replay '" + name + "' changes all the time; try again", null);
    }

    private ReplayProgress require(String name) {
        return runs.find(name).orElseThrow(() -> new PigeonholeException("there is no replay '" + name + "'", null));
    }
}
