package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

class MessageMapperTest {
    private static Message map(
            String queue,
            IdFallback fallback,
            String body,
            Map<MessageSystemAttributeName, String> given,
            Map<String, MessageAttributeValue> attributes) {
        var names = new MessageMapper.Attributes("id", "type", "content-type", "encoding", "key");
        return new MessageMapper(queue, "source", names, fallback)
                .map(software.amazon.awssdk.services.sqs.model.Message.builder()
                        .messageId("m-1")
                        .receiptHandle("r-1")
                        .body(body)
                        .attributes(given)
                        .messageAttributes(attributes)
                        .build());
    }

    private static MessageAttributeValue value(String type, String text) {
        return MessageAttributeValue.builder().dataType(type).stringValue(text).build();
    }

    private static MessageAttributeValue value(byte... bytes) {
        return MessageAttributeValue.builder()
                .dataType("Binary.custom")
                .binaryValue(SdkBytes.fromByteArray(bytes))
                .build();
    }

    @Test
    void textNumbersAndBytesAreTakenOverAsTheyAre() {
        Message message = map(
                "notes",
                IdFallback.NONE,
                "body \u20ac",
                Map.of(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "7"),
                Map.of(
                        "id", value((byte) 0, (byte) 0xff),
                        "type", value("String.kind", "note"),
                        "number", value("Number", "1.50"),
                        "key", value((byte) 1)));
        assertThat(String.valueOf(message.id())).isEqualTo("0x00ff");
        assertThat(message.source()).isEqualTo("source");
        assertThat(message.origin()).isEqualTo("notes m-1");
        assertThat(message.type()).isEqualTo("note");
        assertThat(message.contentType()).isNull();
        assertThat(message.deliveries()).isEqualTo(7);
        assertThat(message.orderingKey()).containsExactly(1);
        assertThat(message.payload()).isEqualTo("body \u20ac".getBytes(UTF_8));
        assertThat(message.headers().list()).contains(new Header("number", "1.50".getBytes(UTF_8)));
        assertThat(message.defect()).isNull();
    }

    @Test
    void messageThatLacksItsIdOrItsTypeSaysWhichAttributesWereLookedAt() {
        FieldNames names = map("notes", IdFallback.NONE, "x", Map.of(), Map.of("type", value("String", "note")))
                .fieldNames();
        assertThat(names).isNotNull();
        assertThat(names.id())
                .startsWith("the attribute 'id' (setting idAttribute")
                .contains("idFallback");
        assertThat(names.type()).isEqualTo("the attribute 'type' (setting typeAttribute)");
        assertThat(map(
                                "notes",
                                IdFallback.NONE,
                                "x",
                                Map.of(),
                                Map.of("type", value("String", "note"), "id", value("String", "7")))
                        .fieldNames())
                .isNull();
    }

    @Test
    void onFifoQueuesTheGroupIsTheOrderingKeyWhateverTheAttributeSays() {
        Message message = map(
                "notes.fifo",
                IdFallback.NONE,
                "x",
                Map.of(MessageSystemAttributeName.MESSAGE_GROUP_ID, "group"),
                Map.of("key", value("String", "other")));
        assertThat(message.orderingKey()).isEqualTo("group".getBytes(UTF_8));
    }

    @Test
    void onStandardQueuesTheGroupIsNoOrderingKey() {
        Message message = map(
                "notes", IdFallback.NONE, "x", Map.of(MessageSystemAttributeName.MESSAGE_GROUP_ID, "tenant"), Map.of());
        assertThat(message.orderingKey()).isNull();
    }

    @Test
    void idOfSqsIsTakenOnlyWhereItIsAskedForAndThereIsNoOther() {
        assertThat(map("notes", IdFallback.NONE, "x", Map.of(), Map.of()).id()).isNull();
        assertThat(String.valueOf(map("notes", IdFallback.TRANSPORT, "x", Map.of(), Map.of())
                        .id()))
                .isEqualTo("sqs:m-1");
        assertThat(String.valueOf(
                        map("notes", IdFallback.TRANSPORT, "x", Map.of(), Map.of("id", value("String", "own")))
                                .id()))
                .isEqualTo("own");
    }

    @Test
    void base64IsUndoneWhereItIsOne() {
        Message good = map("notes", IdFallback.NONE, "AP8=", Map.of(), Map.of("encoding", value("String", "Base64")));
        assertThat(good.payload()).containsExactly(0, 0xff);
        assertThat(good.headers().list()).isEmpty();
        assertThat(good.defect()).isNull();

        Message bad = map("notes", IdFallback.NONE, "AP8 =", Map.of(), Map.of("encoding", value("String", "base64")));
        assertThat(bad.payload()).isEqualTo("AP8 =".getBytes(UTF_8));
        assertThat(bad.headers().lastText("encoding")).isEqualTo("base64");
        assertThat(bad.defect()).contains("base64").contains("encoding");

        Message other = map("notes", IdFallback.NONE, "AP8=", Map.of(), Map.of("encoding", value("String", "gzip")));
        assertThat(other.payload()).isEqualTo("AP8=".getBytes(UTF_8));
        assertThat(other.headers().lastText("encoding")).isEqualTo("gzip");
    }

    @ParameterizedTest
    @ValueSource(strings = {"QUJDRB==", "QUJDRA", "QUJDRC", "QUJDREW=", "QUJDREU"})
    void textThatIsNotWhatItsBytesAreWrittenAsIsNoBase64(String body) {
        Message message = map("notes", IdFallback.NONE, body, Map.of(), Map.of("encoding", value("String", "base64")));

        assertThat(message.defect()).contains("not the base64");
        assertThat(message.payload()).isEqualTo(body.getBytes(UTF_8));
        assertThat(message.headers().lastText("encoding")).isEqualTo("base64");
    }
}
