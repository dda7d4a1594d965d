package io.pigeonhole.core.store;

import java.time.Duration;

/**
 * Recognises work at which processes die again and again: counted when it is begun, because nobody counts afterwards. Whoever
 * ends in good order takes its start back, so that what is counted is those who are at work and those who died.
 */
public interface Starts {
    /**
     * Notes that a process begins at a position. Committed when it returns.
     *
     * @param consumer who begins
     * @param what what it begins with, such as a partition, at most 300 characters
     * @param position where, such as an offset, at most 300 characters
     * @return how many times in a row it was begun at this same position and not {@linkplain #ended ended}, 1 for the first
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    default int started(RegisteredConsumer consumer, String what, String position) {
        return started(consumer, what, position, Integer.MAX_VALUE, Duration.ZERO);
    }

    /**
     * As the other form; but more starts than a limit are not noted while the last one is fresh: whoever began then may be
     * alive and only about to begin.
     *
     * @param consumer who begins
     * @param what what it begins with, such as a partition, at most 300 characters
     * @param position where, such as an offset, at most 300 characters
     * @param limit how many starts are noted at any time
     * @param fresh how long after the last one no more are noted
     * @return how many times in a row it was begun at this same position and not ended; 0 where nothing was noted, so that it
     *     must not be begun now
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    int started(RegisteredConsumer consumer, String what, String position, int limit, Duration fresh);

    /**
     * Takes a start back: whoever began is alive and has left the work in good order. Changes nothing where something else was
     * begun since. Committed when it returns.
     *
     * @param consumer who began
     * @param what what it began with
     * @param position where it began
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached: the start stays
     *     counted
     */
    void ended(RegisteredConsumer consumer, String what, String position);
}
