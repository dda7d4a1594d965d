package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.postgresql.FreshStreaks;
import org.junit.jupiter.api.Test;

class FreshStreaksTest {
    private static final short ONE = 1;
    private static final short OTHER = 2;

    private final FreshStreaks streaks = new FreshStreaks(3);

    @Test
    void streakIsLongAfterEnoughClaimsOfNothingButNewKeys() {
        note(ONE, 2);
        assertThat(streaks.isLong(ONE)).isFalse();

        note(ONE, 1);
        assertThat(streaks.isLong(ONE)).isTrue();
        assertThat(streaks.isLong(OTHER)).isFalse();
    }

    @Test
    void oneKnownKeyEndsIt() {
        note(ONE, 100);
        streaks.note(ONE, false);
        note(ONE, 2);
        assertThat(streaks.isLong(ONE)).isFalse();

        note(ONE, 1);
        assertThat(streaks.isLong(ONE)).isTrue();
    }

    private void note(short consumer, int claims) {
        for (int i = 0; i < claims; i++) {
            streaks.note(consumer, true);
        }
    }
}
