package io.pigeonhole.core.time;

import java.time.Duration;

/** Durations in texts for people: "12 hours", "3 min", "1 day 6 hours", "1 s 500 ms". */
public final class DurationText {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private DurationText() {}

    /**
     * A duration in words.
     *
     * @param duration any duration
     * @return its two largest units that are not zero; what is smaller is left out
     */
    public static String of(Duration duration) {
        if (duration.isNegative()) {
            // The shortest of all has no opposite.
            return "-"
                    + of(
                            duration.toSeconds() == Long.MIN_VALUE
                                    ? Duration.ofSeconds(Long.MAX_VALUE)
                                    : duration.negated());
        }
        StringBuilder text = new StringBuilder();
        int units = add(text, duration.toDays(), " day", "s", 0);
        units = add(text, duration.toHoursPart(), " hour", "s", units);
        units = add(text, duration.toMinutesPart(), " min", "", units);
        units = add(text, duration.toSecondsPart(), " s", "", units);
        units = add(text, duration.toMillisPart(), " ms", "", units);
        return units > 0 ? text.toString() : duration.isZero() ? "0 s" : duration.toNanos() + " ns";
    }

    /** Answers how many units there are now. */
    private static int add(StringBuilder text, long count, String unit, String plural, int units) {
        if (count == 0 || units == 2) {
            return units;
        }
        text.append(units == 0 ? "" : " ").append(count).append(unit).append(count == 1 ? "" : plural);
        return units + 1;
    }

    /**
     * A duration in words, for a setting that has to be at least that: rounded up to whole hours, or to whole days where it is longer than
     * one.
     *
     * @param duration any duration
     * @return a number of hours or days that is enough
     */
    public static String enoughFor(Duration duration) {
        Duration unit = duration.compareTo(DAY) > 0 ? DAY : HOUR;
        long count = duration.dividedBy(unit);
        return of(unit.multipliedBy(unit.multipliedBy(count).compareTo(duration) < 0 ? count + 1 : count));
    }
}
