package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DeliveryMapperTest {
    private static final DeliveryMapper STANDARD = mapper(null);

    private static DeliveryMapper mapper(@Nullable String idHeader) {
        return new DeliveryMapper(Map.of("q", "q"), idHeader, "message-type", delivery -> null);
    }

    private static Message map(DeliveryMapper mapper, BasicProperties.Builder properties) {
        Envelope envelope = new Envelope(7, true, "exchange", "routing.key");
        return mapper.map("q", new Delivery(envelope, properties.build(), new byte[0]));
    }

    private static BasicProperties.Builder with(String header, Object value) {
        return new BasicProperties.Builder().headers(new HashMap<>(Map.of(header, value)));
    }

    @Test
    void messageWithoutPropertiesHasNoIdAndNoType() {
        Message message = map(STANDARD, new BasicProperties.Builder());
        assertThat(message.id()).isNull();
        assertThat(message.type()).isNull();
        assertThat(message.contentType()).isNull();
        assertThat(message.orderingKey()).isNull();
        assertThat(message.isTombstone()).isFalse();
        assertThat(message.origin()).startsWith("queue q, exchange 'exchange', routing key 'routing.key'");
    }

    @Test
    @Tag("A2")
    void everyDeliveryWithoutAnIdHasAnOriginOfItsOwn() {
        String first = map(STANDARD, new BasicProperties.Builder()).origin();
        assertThat(map(STANDARD, new BasicProperties.Builder()).origin()).isNotEqualTo(first);
        assertThat(map(STANDARD, new BasicProperties.Builder().messageId("id")).origin())
                .isEqualTo("queue q, exchange 'exchange', routing key 'routing.key'");
    }

    @Test
    void whateverTheFunctionThrowsIsBlamedOnIt() {
        for (Throwable thrown : List.of(new IllegalStateException(), new AssertionError(), new StackOverflowError())) {
            assertThatThrownBy(() -> map(failing(thrown), new BasicProperties.Builder()))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("queue 'q'")
                    .hasMessageContaining("the function that finds ordering keys")
                    .hasCause(thrown);
        }
    }

    @Test
    void memoryThatIsUsedUpIsNotBlamedOnTheFunction() {
        Throwable thrown = new OutOfMemoryError();
        assertThatThrownBy(() -> map(failing(thrown), new BasicProperties.Builder()))
                .isSameAs(thrown);
    }

    private static DeliveryMapper failing(Throwable thrown) {
        return new DeliveryMapper(Map.of("q", "q"), null, "message-type", delivery -> {
            throw DeliveryMapperTest.<RuntimeException>sneaky(thrown);
        });
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void messageThatLacksItsIdOrItsTypeSaysWhereTheyWereLookedFor() {
        FieldNames standard = map(STANDARD, new BasicProperties.Builder()).fieldNames();
        assertThat(standard).isNotNull();
        assertThat(standard.id()).contains("the property 'message-id'", "idHeader");
        assertThat(standard.type()).contains("the property 'type' and the header 'message-type'", "typeHeader");
        FieldNames ofHeader = map(mapper("id"), new BasicProperties.Builder()).fieldNames();
        assertThat(ofHeader).isNotNull();
        assertThat(ofHeader.id()).isEqualTo("the header 'id' (setting idHeader)");
        assertThat(map(STANDARD, new BasicProperties.Builder().messageId("7").type("paid"))
                        .fieldNames())
                .isNull();
    }

    @Test
    void emptyIdIsNoId() {
        assertThat(map(STANDARD, new BasicProperties.Builder().messageId("")).id())
                .isNull();
        assertThat(map(mapper("id"), with("id", LongStringHelper.asLongString("")))
                        .id())
                .isNull();
    }

    @Test
    void idThatTheClientCouldNotReadIsNoId() {
        assertThat(map(STANDARD, new BasicProperties.Builder().messageId("a\uFFFDb"))
                        .id())
                .isNull();
    }

    @Test
    void idOfAHeaderIsItsBytesAndReplacesTheProperty() {
        byte[] bytes = {0, (byte) 0xff};
        Message message = map(
                mapper("id"), with("id", LongStringHelper.asLongString(bytes)).messageId("not this"));
        assertThat(message.id()).isNotNull();
        assertThat(message.id().toBytes()).isEqualTo(bytes);
        assertThat(map(mapper("id"), new BasicProperties.Builder().messageId("not this"))
                        .id())
                .isNull();
        assertThat(String.valueOf(map(mapper("id"), with("id", 42L)).id())).isEqualTo("42");
    }

    @Test
    void typeIsThePropertyAndElseTheHeader() {
        BasicProperties.Builder both = with("message-type", LongStringHelper.asLongString("header"));
        assertThat(map(STANDARD, both).type()).isEqualTo("header");
        assertThat(map(STANDARD, both.type("property")).type()).isEqualTo("property");
    }

    @Test
    void deliveriesAreCountedWhereTheBrokerDoes() {
        assertThat(map(STANDARD, new BasicProperties.Builder()).deliveries()).isZero();
        assertThat(map(STANDARD, with("x-delivery-count", 0L)).deliveries()).isEqualTo(1);
        assertThat(map(STANDARD, with("x-delivery-count", 4L)).deliveries()).isEqualTo(5);
        assertThat(map(STANDARD, with("x-delivery-count", -1)).deliveries()).isZero();
        assertThat(map(STANDARD, with("x-delivery-count", "many")).deliveries()).isZero();
        assertThat(map(STANDARD, with("x-delivery-count", Long.MAX_VALUE)).deliveries())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void countAtAFirstDeliveryIsNoneOfTheBrokers() {
        assertThat(firstDelivery(0).deliveries()).isEqualTo(1);
        assertThat(firstDelivery(9).deliveries()).isZero();
    }

    private static Message firstDelivery(int count) {
        Envelope envelope = new Envelope(7, false, "exchange", "routing.key");
        BasicProperties properties = with("x-delivery-count", count).build();
        return STANDARD.map("q", new Delivery(envelope, properties, new byte[0]));
    }

    @Test
    void headersCannotOverrideWhatTheBrokerSays() {
        Message message = map(STANDARD, with("amqp-routing-key", "forged").userId("user"));
        assertThat(message.headers().last("amqp-routing-key")).isEqualTo("routing.key".getBytes(UTF_8));
        assertThat(message.headers().last("amqp-user-id")).isEqualTo("user".getBytes(UTF_8));
        assertThat(message.headers().last("amqp-reply-to")).isNull();
    }

    @Test
    @Tag("E10")
    void headersCannotPretendToBeWhatTheBrokerDidNotSay() {
        Envelope envelope = new Envelope(7, false, "", "");
        for (String name : List.of(
                "amqp-exchange",
                "amqp-routing-key",
                "amqp-content-encoding",
                "amqp-correlation-id",
                "amqp-reply-to",
                "amqp-timestamp",
                "amqp-user-id",
                "amqp-app-id",
                "AMQP-User-Id")) {
            BasicProperties forged =
                    with(name, LongStringHelper.asLongString("admin")).build();
            Message message = STANDARD.map("q", new Delivery(envelope, forged, new byte[0]));
            assertThat(message.headers().last(name)).isNull();
            assertThat(message.headers()).extracting(Header::name).containsExactly("sent-" + name);
            assertThat(message.headers().last("sent-" + name)).isEqualTo("admin".getBytes(UTF_8));
        }
        assertThat(map(STANDARD, with("amqp-of-mine", "kept")).headers().last("amqp-of-mine"))
                .isEqualTo("kept".getBytes(UTF_8));
    }

    @Test
    void valuesInTablesBecomeJson() {
        Map<String, Object> table = new HashMap<>();
        table.put("x", new byte[] {1, (byte) 0xab});
        assertThat(FieldText.bytesOf(table)).isEqualTo("{\"x\":\"01ab\"}".getBytes(UTF_8));
        assertThat(FieldText.bytesOf(Map.of("x", Double.NaN))).isEqualTo("{\"x\":\"NaN\"}".getBytes(UTF_8));
        assertThat(FieldText.bytesOf(Map.of("x", LongStringHelper.asLongString("a\n\"\\"))))
                .isEqualTo("{\"x\":\"a\\u000a\\\"\\\\\"}".getBytes(UTF_8));
        assertThat(FieldText.bytesOf(null)).isNull();
    }

    @Test
    void textInTablesAndListsThatIsNoUtf8IsHexadecimal() {
        LongString text = LongStringHelper.asLongString(new byte[] {'a', (byte) 0xff});
        assertThat(FieldText.bytesOf(List.of(text, LongStringHelper.asLongString("ä"))))
                .isEqualTo("[\"61ff\",\"ä\"]".getBytes(UTF_8));
        assertThat(FieldText.bytesOf(Map.of("x", text))).isEqualTo("{\"x\":\"61ff\"}".getBytes(UTF_8));
        assertThat(FieldText.bytesOf(text)).isEqualTo(text.getBytes());
    }
}
