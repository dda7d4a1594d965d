package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.ConsumerPausedException;
import java.time.Duration;

/**
 * Recognises work at which processes die again and again: counted when it is begun, because nobody counts afterwards. Whoever
 * ends in good order takes its start back, so that what is counted is those who are at work and those who died.
 */
public interface Starts {
    /**
     * Notes that a process begins at a position. Committed when it returns. May be called again where the answer was lost.
     *
     * @param consumer who begins
     * @param start with what, where, and by whom
     * @return how many times in a row it was begun at this same position and not {@linkplain #ended ended}, 1 for the first
     * @throws ConsumerPausedException if the consumer is paused, so that nothing can be begun; nothing was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    default int started(RegisteredConsumer consumer, Start start) {
        return started(consumer, start, Integer.MAX_VALUE, Duration.ZERO);
    }

    /**
     * As the other form; but more starts than a limit are not noted while the last one is fresh: whoever began then may be
     * alive and only about to begin.
     *
     * @param consumer who begins
     * @param start with what, where, and by whom. Where the last start is of the same one, it is not counted once more
     * @param limit how many starts are noted at any time
     * @param fresh how long after the last one no more are noted
     * @return how many times in a row it was begun at this same position and not ended; 0 where nothing was noted, so that it
     *     must not be begun now
     * @throws ConsumerPausedException if the consumer is paused, so that nothing can be begun; nothing was noted
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh);

    /**
     * Takes a start back: whoever began is alive and has left the work in good order. Changes nothing where something else was
     * begun since. Committed when it returns.
     *
     * @param consumer who began
     * @param start with what, where, and by whom
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached: the start stays
     *     counted
     */
    void ended(RegisteredConsumer consumer, Start start);

    /**
     * Takes a start back, and those that were noted before it: whatever ended those processes is done. Where somebody else has
     * begun since and has not ended, only this start is taken back: what the other one began is not survived. Changes nothing
     * where something else was begun since. Committed when it returns.
     *
     * @param consumer who began
     * @param start with what, where, and by whom
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached: the starts stay
     *     counted
     */
    void survived(RegisteredConsumer consumer, Start start);
}
