package io.pigeonhole.core.store;

import java.util.List;
import java.util.Optional;

/** Remembers the runs over the history. Each call is a transaction of its own. Safe for use by many threads. */
public interface ReplayStore {
    /**
     * Makes a run, in the state {@link ReplayState#WAITING}, and fixes its cutoff: all that is committed in the history now
     * belongs to it. Where there is a run of that name already, nothing changes. A crash leaves all of it or nothing.
     *
     * @param plan what it is about
     * @param who who makes it
     * @param reason for what reason
     * @return the run of that name, whatever its plan
     * @throws io.pigeonhole.core.failure.PigeonholeException if there is no such consumer, or the database refused
     */
    ReplayProgress create(ReplayPlan plan, String who, String reason);

    /**
     * Lets a run go on that waits, if all transactions have ended that were open when it was made and may record something
     * before its cutoff; then counts what belongs to it, where that was not done before. Does nothing in another state.
     *
     * @param name the name of a run
     * @return the run, still waiting where such a transaction is open
     * @throws io.pigeonhole.core.failure.PigeonholeException if there is no such run, or the database refused
     */
    ReplayProgress settle(String name);

    /**
     * Looks for a run.
     *
     * @param name its name
     * @return the run, or empty
     */
    Optional<ReplayProgress> find(String name);

    /**
     * All runs.
     *
     * @return in the order in which they were made
     */
    List<ReplayProgress> list();

    /**
     * Changes the state of a run, after the batch that is under way. To resume is to change to {@link ReplayState#WAITING}.
     * The error of a failed one is removed.
     *
     * @param name the name of a run
     * @param from the state that it must be in
     * @param to the state that it is to have
     * @param who who changes it
     * @param reason for what reason
     * @return whether it was in that state, and now has the other
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused, or a batch took too long
     */
    boolean change(String name, ReplayState from, ReplayState to, String who, String reason);

    /**
     * The messages that a run passed.
     *
     * @param name the name of a run
     * @param after the place to begin behind, 0 for the first
     * @param limit how many at most
     * @return in the order of their places
     */
    List<SkippedMessage> skipped(String name, long after, int limit);
}
