package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OrderingKeyTextTest {
    @Test
    void keyOfTextIsTheKeyOfItsBytesInUtf8() {
        assertThat(OrderingKey.of("Zoë")).isEqualTo(OrderingKey.of("Zoë".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void textIsShownAsTextAndOtherBytesInHexadecimals() {
        assertThat(OrderingKey.of("account 7")).hasToString("ordering key 'account 7'");
        assertThat(OrderingKey.of(new byte[] {0, (byte) 0xff})).hasToString("ordering key of the bytes 00ff");
    }

    @Test
    void longKeyIsShownInPart() {
        assertThat(OrderingKey.of("x".repeat(1_000)).toString())
                .hasSizeLessThan(200)
                .endsWith("(1000 bytes)");
    }
}
