package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import org.junit.jupiter.api.Test;

/** What is said of messages in texts, such as of those that come without an id or without a type. */
class MessageTextTest {
    private static final FieldNames NAMES = new FieldNames(
            "the header 'message-id' (setting idHeader)", "the header 'message-type' (setting typeHeader)");

    private static InboxBuilder<InMemoryContext> builder() {
        return Inbox.builder("payments", InMemoryStore.create())
                .handle("paid", PayloadDecoder.text(), (payload, context) -> {});
    }

    private static String detail(Inbox<?> inbox, Message message) {
        return ((Outcome.Dead) inbox.process(message)).detail();
    }

    private static Message.Builder message() {
        return Message.builder("queue").payload("x");
    }

    @Test
    void messageWithoutATypeIsNotSaidToBeOfTypeNull() {
        assertThat(message().id("7").build()).hasToString("message 7 without a type from queue");
        assertThat(message().id("7").type("paid").build()).hasToString("message 7 of type paid from queue");
    }

    @Test
    void idOfThousandsOfCharactersIsShortInTexts() {
        String pigeon = "\uD83D\uDC26";

        assertThat(message().id("x".repeat(100)).build()).asString().startsWith("message " + "x".repeat(100) + " ");
        assertThat(message().id("x".repeat(4_000)).build())
                .hasToString("message " + "x".repeat(100) + "… (4000 characters) without a type from queue");
        assertThat(message().id("x" + pigeon.repeat(50)).build())
                .hasToString("message x" + pigeon.repeat(49) + "… (101 characters) without a type from queue");
    }

    @Test
    void deadLetterWithoutATypeNamesWhatWouldGiveOne() {
        assertThat(detail(builder().build(), message().id("7").build()))
                .isEqualTo(
                        "the message is without a type; defaultType of the inbox gives one to such messages; handled are [paid]");
        assertThat(detail(builder().build(), message().id("7").fieldNames(NAMES).build()))
                .contains("which was looked for in the header 'message-type' (setting typeHeader); defaultType");
        assertThat(detail(
                        builder().typeHeader("kind").build(),
                        message().id("7").fieldNames(NAMES).build()))
                .contains("looked for in the header 'kind' (typeHeader of the inbox) and the header 'message-type'");
        assertThat(detail(builder().build(), message().id("7").type("new").build()))
                .isEqualTo("no handler for type 'new'; handled are [paid]");
    }

    @Test
    void deadLetterWithoutAnIdNamesWhereItWasLookedFor() {
        assertThat(detail(builder().build(), message().fieldNames(NAMES).build()))
                .endsWith("; the id was looked for in the header 'message-id' (setting idHeader)");
        assertThat(detail(builder().build(), message().build())).endsWith("could not be recognised");
    }
}
