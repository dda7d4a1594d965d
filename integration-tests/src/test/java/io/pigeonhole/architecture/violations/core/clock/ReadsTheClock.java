package io.pigeonhole.architecture.violations.core.clock;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.Date;
import java.util.TimeZone;
import java.util.function.Supplier;

public final class ReadsTheClock {
    static long millis() {
        return System.currentTimeMillis();
    }

    static Instant instant() {
        return Instant.now();
    }

    static Supplier<Instant> reference() {
        return Instant::now;
    }

    static LocalDate inZone() {
        return LocalDate.now(ZoneOffset.UTC);
    }

    static Clock clock() {
        return Clock.systemUTC();
    }

    static Clock ticks() {
        return Clock.tickSeconds(ZoneOffset.UTC);
    }

    @SuppressWarnings("JavaUtilDate")
    static Date date() {
        return new Date();
    }

    static Calendar calendar() {
        return Calendar.getInstance(TimeZone.getTimeZone(ZoneOffset.UTC));
    }

    static Instant allowed(Clock clock) {
        return Instant.now(clock);
    }
}
