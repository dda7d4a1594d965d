package io.pigeonhole.jackson;

import static io.pigeonhole.jackson.JsonPayload.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonPayloadTest {
    record Payment(long account, BigDecimal amount, List<String> notes, Instant at) {}

    private final PayloadDecoder<Payment> payments = json(Payment.class);

    @Test
    void documentBecomesItsRecord() throws Exception {
        Payment payment = payments.decode(
                message("{\"account\":7,\"amount\":12.50,\"notes\":[\"é\"],\"at\":\"2026-11-21T02:00:00Z\"}"));

        assertThat(payment)
                .isEqualTo(
                        new Payment(7, new BigDecimal("12.50"), List.of("é"), Instant.parse("2026-11-21T02:00:00Z")));
    }

    @Test
    void unknownFieldIsIgnoredSoThatProducersMayAddSome() throws Exception {
        assertThat(payments.decode(message("{\"account\":7,\"later\":{\"a\":[1]}}"))
                        .account())
                .isEqualTo(7);
    }

    @Test
    void absentFieldIsNullSoThatConsumersMayAddSome() throws Exception {
        assertThat(payments.decode(message("{\"account\":7}")).amount()).isNull();
    }

    @Test
    void tombstoneIsRefusedByName() {
        Message tombstone =
                Message.builder("payments").id("1").payload((byte[]) null).build();

        assertThatThrownBy(() -> payments.decode(tombstone))
                .hasMessageContaining("tombstone")
                .hasMessageContaining("Payment");
    }

    @Test
    void emptyPayloadIsRefusedByName() {
        assertThatThrownBy(() -> payments.decode(message(""))).hasMessageContaining("empty");
    }

    @Test
    void documentNullIsRefused() {
        assertThatThrownBy(() -> payments.decode(message("null"))).hasMessageContaining("null");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "{\"account\":7",
                "{\"account\":7}{\"account\":8}",
                "{\"account\":7} x",
                "{\"account\":7,\"account\":8}",
                "{\"account\":7.9}",
                "{\"account\":null}",
                "[]",
                "7",
                "{\"account\":\"seven\"}",
                "<payment/>"
            })
    void whatWouldBecomeSomethingElseIsRefused(String document) {
        assertThatThrownBy(() -> payments.decode(message(document))).isInstanceOf(RuntimeException.class);
    }

    @Test
    void bytesThatAreNotUtf8AreRefused() {
        byte[] payload = {'{', '"', 'n', 'o', 't', 'e', 's', '"', ':', '[', '"', (byte) 0xC3, (byte) 0x28, '"', ']', '}'
        };

        assertThatThrownBy(() -> payments.decode(
                        Message.builder("payments").id("1").payload(payload).build()))
                .isInstanceOf(RuntimeException.class);
    }

    @Test
    void ownMapperDecides() {
        PayloadDecoder<Payment> strict = json(
                Payment.class,
                JsonMapper.builder()
                        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .build());

        assertThatThrownBy(() -> strict.decode(message("{\"account\":7,\"later\":1}")))
                .hasMessageContaining("later");
    }

    private static Message message(String payload) {
        return Message.builder("payments").id("1").payload(payload).build();
    }
}
