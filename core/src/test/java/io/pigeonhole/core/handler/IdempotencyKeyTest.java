package io.pigeonhole.core.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import org.junit.jupiter.api.Test;

class IdempotencyKeyTest {
    private static final MessageKey KEY = new MessageKey(0x0192f0c18a3e6b27L, 0x543df0cf2854fd36L);

    @Test
    void derivationNeverChanges() {
        assertThat(IdempotencyKey.of("payments", KEY, "charge")).isEqualTo("944d43af77b436137f321f7391d7eeea");
    }

    @Test
    void everyPartCountsAndIsKeptApart() {
        assertThat(IdempotencyKey.of("payments", KEY, "charge"))
                .isNotEqualTo(IdempotencyKey.of("payments", KEY, "refund"))
                .isNotEqualTo(IdempotencyKey.of("refunds", KEY, "charge"))
                .isNotEqualTo(IdempotencyKey.of("payments", new MessageKey(KEY.high(), KEY.low() + 1), "charge"));
    }
}
