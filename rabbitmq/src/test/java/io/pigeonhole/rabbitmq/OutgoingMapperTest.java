package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutgoingMapperTest {
    private static final OutgoingMapper STANDARD = mapper(null);
    private static final String LONG = "ä".repeat(200);

    private static OutgoingMapper mapper(@Nullable String idHeader) {
        return new OutgoingMapper("exchange", Message::source, idHeader, "message-type", "ordering-key");
    }

    private static Message.Builder message() {
        return Message.builder("key").id("id").type("type").payload("payload");
    }

    /** As the source of the same settings makes it. */
    private static Message delivered(OutgoingMessage sent, @Nullable String idHeader) {
        return new DeliveryMapper(Map.of(), idHeader, "message-type", delivery -> null)
                .map("q", new Delivery(new Envelope(1, false, "exchange", "key"), sent.properties(), sent.body()));
    }

    private static void assertRefused(Message message, String why) {
        assertThatThrownBy(() -> STANDARD.map(message))
                .isInstanceOf(PermanentFailure.class)
                .hasMessageContaining(why);
    }

    @Test
    void messageIsPersistentAndHasItsIdAndTypeInProperties() {
        OutgoingMessage sent = STANDARD.map(message().build());
        assertThat(sent.exchange()).isEqualTo("exchange");
        assertThat(sent.routingKey()).isEqualTo("key");
        assertThat(sent.properties().getDeliveryMode()).isEqualTo(2);
        assertThat(sent.properties().getMessageId()).isEqualTo("id");
        assertThat(sent.properties().getType()).isEqualTo("type");
        assertThat(sent.properties().getHeaders()).isEmpty();
    }

    @Test
    void typeThatIsTooLongForThePropertyIsInTheHeader() {
        OutgoingMessage sent = STANDARD.map(message().type(LONG).build());
        assertThat(sent.properties().getType()).isNull();
        assertThat(delivered(sent, null).type()).isEqualTo(LONG);
    }

    @Test
    void emptyTypeIsStillOne() {
        assertThat(delivered(STANDARD.map(message().type("").build()), null).type())
                .isEmpty();
    }

    @Test
    void idThatIsNoTextIsInTheHeaderThatTheUserNames() {
        MessageId bytes = MessageId.of(new byte[] {(byte) 0xff, 0});
        Message message = message().id(bytes).build();
        assertThat(delivered(mapper("the-id").map(message), "the-id").id()).isEqualTo(bytes);
        assertRefused(message, "idHeader");
    }

    /** The source takes such a text for one that was damaged. */
    @Test
    void idWithAReplacementCharacterIsRefusedWithoutAHeader() {
        assertRefused(message().id("a\uFFFD").build(), "idHeader");
    }

    @Test
    void headerWithoutAValueStaysOne() {
        Message message =
                message().headers(Headers.none().with("h", (byte[]) null)).build();
        assertThat(delivered(STANDARD.map(message), null).headers().list()).contains(new Header("h", null));
    }

    @Test
    void whatTheProtocolHasNoFormForIsRefused() {
        assertRefused(message().payload((byte[]) null).build(), "tombstone");
        assertRefused(message().contentType(LONG).build(), "content type");
        assertRefused(message().headers(Headers.none().with(LONG, "x")).build(), "header");
        assertRefused(
                message().headers(Headers.none().with("h", "1").with("h", "2")).build(), "'h'");
        assertThatThrownBy(() -> new OutgoingMapper("e", message -> LONG, null, "t", "o")
                        .map(message().build()))
                .isInstanceOf(PermanentFailure.class)
                .hasMessageContaining("routing key");
    }

    @Test
    void publisherToTheDefaultExchangeNeedsARoutingKey() {
        assertThatThrownBy(() ->
                        RabbitPublisher.builder(new ConnectionFactory(), "").build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("routingKey");
    }

    @Test
    void headersThatOnlySourcesSetAreRefusedAsSettings() {
        assertThatThrownBy(() -> RabbitPublisher.builder(new ConnectionFactory(), "e")
                        .idHeader("amqp-app-id")
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("amqp-app-id");
        assertThatThrownBy(() -> RabbitPublisher.builder(new ConnectionFactory(), "e")
                        .typeHeader("ordering-key")
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("typeHeader");
    }

    @Test
    void nameSaysWhereMessagesGoAndNoPassword() {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("rabbit");
        factory.setPassword("secret");
        try (RabbitPublisher publisher = RabbitPublisher.of(factory, "orders", "new")) {
            assertThat(publisher.name()).contains("orders", "new", "rabbit").doesNotContain("secret");
        }
    }
}
