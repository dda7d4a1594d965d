package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.postgresql.OptimisticInserts;
import org.junit.jupiter.api.Test;

class OptimisticInsertsTest {
    private static final short ONE = 1;
    private static final short OTHER = 2;

    private final OptimisticInserts optimisticInserts = new OptimisticInserts(3);

    @Test
    void mayTryAfterEnoughClaimsOfNothingButNewKeys() {
        note(ONE, 2);
        assertThat(optimisticInserts.mayTry(ONE)).isFalse();

        note(ONE, 1);
        assertThat(optimisticInserts.mayTry(ONE)).isTrue();
        assertThat(optimisticInserts.mayTry(OTHER)).isFalse();
    }

    @Test
    void oneKnownKeyEndsIt() {
        note(ONE, 100);
        optimisticInserts.note(ONE, false);
        note(ONE, 2);
        assertThat(optimisticInserts.mayTry(ONE)).isFalse();

        note(ONE, 1);
        assertThat(optimisticInserts.mayTry(ONE)).isTrue();
    }

    private void note(short consumer, int claims) {
        for (int i = 0; i < claims; i++) {
            optimisticInserts.note(consumer, true);
        }
    }
}
