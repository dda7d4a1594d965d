package io.pigeonhole.core.store;

/**
 * A step of a watermark.
 *
 * @param from the watermark as this transaction, or whoever acquired it, has read it: if it is another one now, nothing is
 *     advanced
 * @param position the offset of the next message, not before that of {@code from}
 * @param leaderEpoch what the broker counted at the last message before it, or -1
 */
public record Advance(Watermark from, long position, int leaderEpoch) {}
