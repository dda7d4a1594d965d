package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

class EntryMakerTest {
    private static final MessageMapper.Attributes NAMES = new MessageMapper.Attributes(
            "message-id", "message-type", "content-type", "content-encoding", "ordering-key");
    private static final EntryMaker STANDARD = new EntryMaker("notes", NAMES);
    private static final EntryMaker FIFO = new EntryMaker("notes.fifo", NAMES);

    private static Message.Builder message() {
        return Message.builder("sent").id("id").type("type").payload("payload");
    }

    private static SendMessageBatchRequestEntry entry(Message message) {
        return STANDARD.entry(message).value();
    }

    /** As the source makes it. */
    private static Message received(SendMessageBatchRequestEntry entry) {
        return new MessageMapper("notes", "source", NAMES, IdFallback.NONE)
                .map(software.amazon.awssdk.services.sqs.model.Message.builder()
                        .messageId("m-1")
                        .body(entry.messageBody())
                        .messageAttributes(entry.messageAttributes())
                        .build());
    }

    private static void assertRefused(EntryMaker maker, Message message, String why) {
        assertThatThrownBy(() -> maker.entry(message))
                .isInstanceOf(PermanentFailure.class)
                .hasMessageContaining(why);
    }

    private static void assertRefused(Message message, String why) {
        assertRefused(STANDARD, message, why);
    }

    @Test
    void textIsSentAsItIsAndAnythingElseAsBase64() {
        assertThat(entry(message().payload("{\n\t\"a\": \"€🙂\"}").build()).messageBody())
                .isEqualTo("{\n\t\"a\": \"€🙂\"}");
        SendMessageBatchRequestEntry bytes =
                entry(message().payload(new byte[] {0, (byte) 0xff}).build());
        assertThat(bytes.messageBody()).isEqualTo("AP8=");
        assertThat(bytes.messageAttributes())
                .hasEntrySatisfying(
                        "content-encoding",
                        value -> assertThat(value.stringValue()).isEqualTo("base64"));
        assertThat(received(bytes).payload()).isEqualTo(new byte[] {0, (byte) 0xff});
        assertThat(received(bytes).headers().last("content-encoding")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\n", "\u0001", "\uFFFE", "\uFFFF"})
    void textThatSqsDoesNotTakeIsSentAsBase64(String payload) {
        SendMessageBatchRequestEntry entry = entry(message().payload(payload).build());
        assertThat(entry.messageAttributes()).containsKey("content-encoding");
        assertThat(received(entry).payload()).isEqualTo(payload.getBytes(UTF_8));
    }

    @Test
    void encodingOfTheSenderIsKeptWhereItChangesNothing() {
        Message message = message()
                .headers(Headers.none().with("content-encoding", "identity"))
                .build();
        assertThat(received(entry(message)).headers().lastText("content-encoding"))
                .isEqualTo("identity");
    }

    @Test
    void encodingOfTheSenderIsRefusedWhereTheSourceWouldUndoIt() {
        Headers base64 = Headers.none().with("content-encoding", "BASE64");
        Headers gzip = Headers.none().with("content-encoding", "gzip");
        assertRefused(message().headers(base64).payload("aGVsbG8=").build(), "contentEncodingAttribute");
        assertRefused(
                message().headers(gzip).payload(new byte[] {0x1f, (byte) 0x8b}).build(), "contentEncodingAttribute");
    }

    @Test
    void idAndKeyOfBytesAreBinaryAttributes() {
        MessageId id = MessageId.of(new byte[] {(byte) 0xff});
        Message came =
                received(entry(message().id(id).orderingKey(new byte[] {1, 2}).build()));
        assertThat(came.id()).isEqualTo(id);
        assertThat(came.orderingKey()).isEqualTo(new byte[] {1, 2});
    }

    @Test
    void messageOfAFifoQueueHasItsKeyAsGroupAndItsIdAgainstDuplicates() {
        SendMessageBatchRequestEntry keyed =
                FIFO.entry(message().orderingKey("account:7").build()).value();
        assertThat(keyed.messageGroupId()).isEqualTo("account:7");
        assertThat(keyed.messageDeduplicationId()).isEqualTo("id");
        assertThat(keyed.messageAttributes()).doesNotContainKey("ordering-key");
        assertThat(FIFO.entry(message().build()).value().messageGroupId()).isEqualTo("id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "Müller", "", "\n"})
    void keyThatCannotBeAGroupIsRefused(String key) {
        assertRefused(FIFO, message().orderingKey(key).build(), "message group");
    }

    @Test
    void keyThatIsTooLongForAGroupIsRefused() {
        assertRefused(FIFO, message().orderingKey("k".repeat(129)).build(), "message group");
        assertThat(FIFO.entry(message().orderingKey("k".repeat(128)).build())
                        .value()
                        .messageGroupId())
                .hasSize(128);
    }

    @Test
    void whatSqsHasNoFormForIsRefused() {
        assertRefused(message().payload((byte[]) null).build(), "tombstone");
        assertRefused(message().payload("").build(), "empty");
        assertRefused(message().type("").build(), "'message-type'");
        assertRefused(message().headers(Headers.none().with("h", "")).build(), "'h'");
        assertRefused(message().headers(Headers.none().with("h", (byte[]) null)).build(), "'h'");
        assertRefused(
                message().headers(Headers.none().with("h", "1").with("h", "2")).build(), "'h'");
        assertRefused(FIFO, message().id((MessageId) null).build(), "no id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Grüße", "a b", ".a", "a.", "a..b", "AWS.x", "amazon.y", "a/b"})
    void headerThatCannotBeAnAttributeIsRefused(String name) {
        assertRefused(message().headers(Headers.none().with(name, "x")).build(), "rename it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.b-c_D9", "awsome", "AWSX.y"})
    void headerThatCanBeAnAttributeIsOne(String name) {
        assertThat(entry(message().headers(Headers.none().with(name, "x")).build())
                        .messageAttributes())
                .containsKey(name);
    }

    @Test
    void tenAttributesAreSentAndElevenRefused() {
        Headers headers = Headers.none();
        for (int i = 0; i < 8; i++) {
            headers = headers.with("h" + i, "x");
        }
        assertThat(entry(message().headers(headers).build()).messageAttributes())
                .hasSize(10);
        assertRefused(message().headers(headers).contentType("text/plain").build(), "11");
    }

    @Test
    void attributesCountForTheSize() {
        int ofAttributes = STANDARD.entry(message().payload("x").build()).bytes() - 1;
        String largest = "x".repeat(EntryMaker.LARGEST - ofAttributes);
        assertThat(STANDARD.entry(message().payload(largest).build()).bytes()).isEqualTo(EntryMaker.LARGEST);
        assertRefused(message().payload(largest + "x").build(), "" + (EntryMaker.LARGEST + 1));
    }
}
