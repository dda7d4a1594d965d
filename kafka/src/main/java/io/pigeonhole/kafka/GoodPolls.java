package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What polls without an error say about a consumer. A member without partitions, such as a standby of a group that has more members
 * than partitions, never has a record: for it, time without an error counts. While there is no connection to a broker, the member
 * waits to join its group, or none of its topics exists, nothing fails and nothing counts.
 *
 * <p>Used by the poll thread; others may ask {@link #hasJoined}, {@link #hasWorked} and {@link #hasRecovered}.
 */
final class GoodPolls {
    /** A group that refuses nothing for so long has accepted the member. */
    private static final Duration ACCEPTED = Duration.ofMinutes(1);
    /** Without a partition that could be read, an error is over after so long without another one. */
    private static final Duration OVER = Duration.ofSeconds(5);

    private final LongSupplier clock;
    private final long begun;
    private long goodSince;
    /** Later than that where nothing could be refused. */
    private long acceptedSince;

    private volatile boolean hasJoined;
    private volatile boolean hasWorked;
    private volatile boolean hasRecovered;

    GoodPolls(LongSupplier clock) {
        this.clock = clock;
        this.begun = clock.getAsLong();
        this.goodSince = begun;
        this.acceptedSince = begun;
    }

    /** A poll threw. */
    void failed() {
        goodSince = clock.getAsLong();
        acceptedSince = goodSince;
    }

    /** None of the member's topics exists: whether Kafka would refuse them is not known, however long nothing fails. */
    void withoutTopics() {
        acceptedSince = clock.getAsLong();
    }

    /**
     * A poll threw nothing; answers whether what failed before is over.
     *
     * @param isMember whether there is a connection, and the group has let the member in
     */
    boolean polled(boolean hasRecords, boolean hasPartitions, boolean isMember) {
        long now = clock.getAsLong();
        if (!isMember) {
            goodSince = now;
            acceptedSince = now;
        }
        if (hasPartitions || isMember) {
            hasJoined = true;
        }
        if ((hasPartitions && isLonger(now - begun, ACCEPTED)) || isLonger(now - acceptedSince, ACCEPTED)) {
            hasRecovered = true;
        }
        if (hasRecords || hasRecovered) {
            hasWorked = true;
        }
        return hasPartitions || isLonger(now - goodSince, OVER);
    }

    /** The records of a poll were handed over. */
    void handedOver() {
        hasRecovered = true;
    }

    private static boolean isLonger(long nanos, Duration duration) {
        return nanos > duration.toNanos();
    }

    /** Whether the group has let the member in once. */
    boolean hasJoined() {
        return hasJoined;
    }

    /** Whether Kafka has accepted the member: it has given it records, or refused it nothing for a minute in its group. */
    boolean hasWorked() {
        return hasWorked;
    }

    /** Whether what ended consumers before is over: records of a poll were handed over, or nothing was refused for a minute. */
    boolean hasRecovered() {
        return hasRecovered;
    }
}
