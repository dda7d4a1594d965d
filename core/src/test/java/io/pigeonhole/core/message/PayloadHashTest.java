package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PayloadHashTest {
    /** Rows have it. */
    @Test
    void isTheBeginningOfTheSha256OfThePayload() {
        assertThat(PayloadHash.of(Message.builder("notes").payload("abc").build())
                        .toUuid())
                .hasToString("ba7816bf-8f01-cfea-4141-40de5dae2223");
    }

    @Test
    void ofATombstoneIsThatOfNoShortPayload() {
        Set<PayloadHash> all = new HashSet<>();
        all.add(PayloadHash.ofBytes(null));
        all.add(PayloadHash.ofBytes(new byte[0]));
        for (int value = 0; value < 256; value++) {
            all.add(PayloadHash.ofBytes(new byte[] {(byte) value}));
        }

        assertThat(all).hasSize(258);
    }
}
