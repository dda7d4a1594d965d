package io.pigeonhole.core.store;

/** Recognises work at which processes die again and again: counted when it is begun, because nobody counts afterwards. */
public interface Starts {
    /**
     * Notes that a process begins at a position. Committed when it returns.
     *
     * @param consumer who begins
     * @param what what it begins with, such as a partition, at most 300 characters
     * @param position where, such as an offset, at most 300 characters
     * @return how many times in a row it was begun at this same position, 1 for the first
     * @throws io.pigeonhole.core.failure.PigeonholeException if the database refused or cannot be reached
     */
    int started(RegisteredConsumer consumer, String what, String position);
}
