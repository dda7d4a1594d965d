package io.pigeonhole.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.message.Message;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
    @Test
    void idHoldsItsTimeItsVersionAndItsVariant() {
        UUID id = MessageIds.of(0x0192_3456_789AL, -1, -1);

        assertThat(id).hasToString("01923456-789a-7fff-bfff-ffffffffffff");
        assertThat(MessageIds.of(0x0192_3456_789AL, 0, 0)).hasToString("01923456-789a-7000-8000-000000000000");
    }

    @Test
    void idsAreDifferent() {
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            assertThat(ids.add(MessageIds.next())).isTrue();
        }
    }

    @Test
    void whatCannotBeStoredIsRefusedWhereTheMessageIsMade() {
        assertThatThrownBy(() -> OutboxMessage.to(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutboxMessage.to("x".repeat(181))).hasMessageContaining("180");
        assertThatThrownBy(() -> OutboxMessage.to("a\0b")).hasMessageContaining("NUL");
        OutboxMessage.Builder builder = OutboxMessage.to("orders");
        assertThatThrownBy(() -> builder.key(new byte[1025])).hasMessageContaining("1025");
        assertThatThrownBy(() -> builder.key("\uD800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.type("x".repeat(256))).hasMessageContaining("255");
        assertThatThrownBy(() -> builder.type("\0")).hasMessageContaining("NUL");
        assertThatThrownBy(() -> builder.contentType("\uD800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.header("", "x")).hasMessageContaining("name");
        assertThatThrownBy(() -> builder.payload("\uD800")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void handledMessageWithoutAnIdIsNoCause() {
        Message handled = Message.builder("notes").build();
        Message message = OutboxMessage.to("orders")
                .header("causation-id", "a lie")
                .build()
                .toMessage(MessageIds.next(), handled);

        assertThat(message.headers().list()).isEmpty();
    }
}
