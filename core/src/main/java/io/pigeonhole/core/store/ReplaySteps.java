package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.StoreException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction does for a run over the history: it reads, and moves the run's progress together with the effects of
 * what it read. Used by the transaction's thread.
 */
public interface ReplaySteps {
    /**
     * Holds a run until the transaction ends, if nobody else does. Does not wait.
     *
     * @param name the name of a run
     * @return the run as it is now; empty where another transaction holds it, or there is none
     */
    Optional<ReplayProgress> lock(String name);

    /**
     * The next messages of a run that is held.
     *
     * @param run the run
     * @param limit how many at most; the store may look through no more than that, however few of them are wanted, and stops
     *     before they have more bytes than 16 MiB, except for the first
     * @return those behind its position that it wants and that have a payload
     */
    ReplayPage read(ReplayProgress run, int limit);

    /**
     * Moves a run that is held, from where it was.
     *
     * @param run the run as it was locked; it must be in the state {@link ReplayState#RUNNING}
     * @param position where it is now, not before where it was
     * @param done how many more messages had their effect
     * @param skipped how many more messages were passed
     * @param state its state from now on
     * @param error why it failed, or null
     * @throws StoreException if it is not where it was, which means that it is not held: roll back
     */
    void move(ReplayProgress run, long position, int done, int skipped, ReplayState state, @Nullable String error);

    /**
     * Records a message that is passed.
     *
     * @param run the run
     * @param message what failed, and how
     */
    void skip(ReplayProgress run, SkippedMessage message);
}
