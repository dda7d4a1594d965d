package io.pigeonhole.jdbc.outbox;

/**
 * What appending messages comes down to. In one transaction all of it stands behind what else is written, and all of one step behind those
 * before: so whoever waits for the rows of others, or for their keys, does so before its messages have their places.
 */
public enum AppendStep {
    /** Waits for others that append to the same key. */
    LOCK,
    /** All messages of a transaction are inserted in the order in which they were appended, whatever was handled when they were. */
    INSERT
}
