package io.pigeonhole.core.time;

import io.pigeonhole.core.failure.ConfigurationException;
import java.time.Duration;

/**
 * The longest time that a timeout, pause or interval may be set to, the same for all builders. What is meant as "for ever",
 * such as {@code Duration.ofMillis(Long.MAX_VALUE)}, exceeds what a clock in nanoseconds can count.
 */
public final class LongestDuration {
    /** In days. */
    public static final long DAYS = 365;

    private static final Duration LONGEST = Duration.ofDays(DAYS);

    private LongestDuration() {}

    /**
     * Checks a setting.
     *
     * @param of whose setting it is, for the text of the exception
     * @param setting the name of the setting
     * @param value what it is set to
     * @throws ConfigurationException if it is longer than 365 days
     */
    public static void require(String of, String setting, Duration value) {
        if (isExceededBy(value)) {
            throw new ConfigurationException(of + ": " + setting + " is " + value.toDays() + " days, the most is "
                    + DAYS + " days; set what you can wait for");
        }
    }

    /**
     * Whether a time is too long.
     *
     * @param value the time
     * @return true if it is longer than {@value #DAYS} days
     */
    public static boolean isExceededBy(Duration value) {
        return value.compareTo(LONGEST) > 0;
    }
}
