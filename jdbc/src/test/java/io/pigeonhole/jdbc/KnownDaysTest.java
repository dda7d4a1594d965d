package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.jdbc.postgresql.KnownDays;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KnownDaysTest {
    private static final Instant NOON = Instant.parse("2026-03-10T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final KnownDays days = new KnownDays(nanos::get);

    private static MessageKey key(String instant) {
        return MessageKey.firstOf(Instant.parse(instant).toEpochMilli());
    }

    private void see(String oldest, String newest) {
        days.note(new Claim(Set.of(), key(oldest), key(newest), true), NOON.toEpochMilli());
    }

    @Test
    void nothingIsKnownAtFirstButTheDayOfKeysWithoutATime() {
        assertThat(days.have(key("2026-03-10T12:00:00Z"))).isFalse();
        assertThat(days.have(MessageKey.FIRST_DIGEST)).isTrue();
    }

    @Test
    void daysFromThePresentOneToTheEndAreKnown() {
        see("2026-03-01T00:00:00Z", "2026-03-13T00:00:00Z");

        assertThat(days.have(key("2026-03-10T00:00:00Z"))).isTrue();
        assertThat(days.have(key("2026-03-12T23:59:59.999Z"))).isTrue();
        assertThat(days.have(key("2026-03-13T00:00:00Z"))).isFalse();
    }

    /** The next retention run may forget it, once another program has made the window shorter. */
    @Test
    void pastDayIsNotKnownToStay() {
        see("2026-03-01T00:00:00Z", "2026-03-13T00:00:00Z");

        assertThat(days.have(key("2026-03-09T23:59:59.999Z"))).isFalse();
    }

    @Test
    void dayBelowTheBoundsIsNotKnownWhateverTheClockSays() {
        see("2026-03-11T00:00:00Z", "2026-03-13T00:00:00Z");

        assertThat(days.have(key("2026-03-10T12:00:00Z"))).isFalse();
        assertThat(days.have(key("2026-03-11T00:00:00Z"))).isTrue();
    }

    @Test
    void knowledgeEndsAfterAMinute() {
        see("2026-03-01T00:00:00Z", "2026-03-13T00:00:00Z");

        nanos.addAndGet(Duration.ofSeconds(60).toNanos() - 1);
        assertThat(days.have(key("2026-03-10T12:00:00Z"))).isTrue();
        nanos.incrementAndGet();
        assertThat(days.have(key("2026-03-10T12:00:00Z"))).isFalse();
    }

    @Test
    void nothingIsKnownOnceItIsForgotten() {
        see("2026-03-01T00:00:00Z", "2026-03-13T00:00:00Z");

        days.forget();

        assertThat(days.have(key("2026-03-10T12:00:00Z"))).isFalse();
    }
}
