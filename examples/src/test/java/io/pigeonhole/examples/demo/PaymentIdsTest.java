package io.pigeonhole.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class PaymentIdsTest {
    private final PaymentIds ids = new PaymentIds(10, 1);

    @Test
    void paymentKeepsItsIdAndIsFoundByIt() {
        UUID id = ids.of(9);

        assertThat(ids.of(9)).isEqualTo(id);
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(ids.paymentOf(id.toString())).isEqualTo(9);
    }

    @Test
    void idThatNobodySentIsFound() {
        UUID id = ids.of(3);

        assertThat(ids.paymentOf(new UUID(id.getMostSignificantBits() + 1, id.getLeastSignificantBits()).toString()))
                .isEqualTo(-1);
        assertThat(ids.paymentOf(new UUID(id.getMostSignificantBits(), -1).toString()))
                .isEqualTo(-1);
        assertThat(ids.paymentOf("")).isEqualTo(-1);
        assertThat(ids.paymentOf("payment 3")).isEqualTo(-1);
    }
}
