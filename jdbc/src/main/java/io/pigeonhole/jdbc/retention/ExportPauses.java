package io.pigeonhole.jdbc.retention;

import java.time.Duration;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Keeps exports that fail, such as one of a large day to a full disk, from taking most of the time in which a store deletes
 * other things. A day whose export failed is left alone for half an hour, or for ten times as long as that took. One such day
 * holds back no other, however often it fails; but where several fail one after the other, and that took long, the archive is
 * away, and no day is tried for ten times as long; then those come first that have not failed. Kept in memory, per store: after a crash each day is tried again. Safe for use by many threads.
 */
public final class ExportPauses {
    private static final Duration REST = Duration.ofMinutes(30);
    private static final int TIMES = 10;

    /** So many that fail in a row are no matter of single days, if they took so long together. */
    private static final int MANY = 3;

    private static final Duration LONG = Duration.ofSeconds(1);

    private final LongSupplier nanos;
    private final Map<LocalDate, Long> ends = new HashMap<>();
    /** Since the last one that the archive took. */
    private final Set<LocalDate> failed = new HashSet<>();

    private long failedNanos;
    private boolean away;
    private long awayUntil;

    /**
     * No export has failed yet.
     *
     * @param nanos the time
     */
    public ExportPauses(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Notes that an export failed which took so long. */
    public synchronized void begin(LocalDate day, long tookNanos) {
        long now = nanos.getAsLong();
        ends.put(day, now + Math.max(REST.toNanos(), TIMES * tookNanos));
        failed.add(day);
        failedNanos += tookNanos;
        if (failed.size() >= MANY && failedNanos > LONG.toNanos()) {
            away = true;
            awayUntil = now + TIMES * failedNanos;
            failedNanos = 0;
            failed.forEach(each -> ends.put(each, awayUntil + REST.toNanos()));
        }
    }

    /** Whether it is too early to try a day. */
    public synchronized boolean rests(LocalDate day) {
        long now = nanos.getAsLong();
        if (away && awayUntil - now > 0) {
            return true;
        }
        away = false;
        Long end = ends.get(day);
        return end != null && end - now > 0;
    }

    /** Notes that the archive has a day. */
    public synchronized void end(LocalDate day) {
        ends.remove(day);
        failed.clear();
        failedNanos = 0;
        away = false;
    }
}
