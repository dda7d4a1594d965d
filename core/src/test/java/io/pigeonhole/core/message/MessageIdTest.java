package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdTest {
    @Test
    void idsAreTheSameWhenTheirBytesAre() {
        assertThat(MessageId.of("order-17"))
                .isEqualTo(MessageId.of(new byte[] {'o', 'r', 'd', 'e', 'r', '-', '1', '7'}));
        assertThat(MessageId.of("order-17"))
                .isNotEqualTo(MessageId.of("Order-17"))
                .isNotEqualTo(MessageId.of("order-17 "));
        // The letter with its accent, and the letter and its accent: the same to a reader, not to a producer.
        assertThat(MessageId.of("caf\u00e9")).isNotEqualTo(MessageId.of("cafe\u0301"));
    }

    @Test
    void idOfAUuidIsItsText() {
        UUID id = UUID.fromString("0191B1F6-0000-7000-8000-0123456789AB");
        assertThat(MessageId.of(id)).isEqualTo(MessageId.of("0191b1f6-0000-7000-8000-0123456789ab"));
        assertThat(Message.builder("orders").id(id).build().id()).isEqualTo(MessageId.of(id));
    }

    @Test
    void emptyIdIsRefused() {
        assertThatThrownBy(() -> MessageId.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageId.of(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void halfASurrogatePairIsRefusedBecauseReplacingItWouldMakeTwoIdsOne() {
        assertThatThrownBy(() -> MessageId.of("order-\ud800")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesCannotBeChangedFromOutside() {
        byte[] bytes = {1, 2, 3};
        MessageId id = MessageId.of(bytes);
        bytes[0] = 9;
        id.toBytes()[1] = 9;
        assertThat(id).isEqualTo(MessageId.of(new byte[] {1, 2, 3}));
        assertThat(id.length()).isEqualTo(3);
    }

    @Test
    void textIsShownAndBytesThatAreNoneInDigits() {
        assertThat(MessageId.of("größe")).hasToString("größe");
        assertThat(MessageId.of(new byte[] {(byte) 0xFF, 0})).hasToString("0xff00");
    }
}
