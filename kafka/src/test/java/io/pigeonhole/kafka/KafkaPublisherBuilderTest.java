package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaPublisherBuilderTest {
    private static Map<String, Object> with(String name, Object value) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
        config.put(name, value);
        return config;
    }

    @ParameterizedTest
    @CsvSource({
        "enable.idempotence, false",
        "acks, 1",
        "transactional.id, mine",
        "partitioner.ignore.keys, true",
        "retries, 0",
        "max.in.flight.requests.per.connection, 6",
        "linger.ms, much"
    })
    void settingThatContradictsIsRefusedWithItsName(String name, String value) {
        assertThatThrownBy(() -> KafkaPublisher.of(with(name, value), "payments"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("payments")
                .hasMessageContaining(name)
                .hasMessageMatching(".*(Remove it|Correct them).*");
    }

    @Test
    void serializerOfAUserIsRefused() {
        assertThatThrownBy(() -> KafkaPublisher.of(with("key.serializer", StringSerializer.class), "payments"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("key.serializer");
    }

    @Test
    void publisherWithoutServersOrATopicIsRefused() {
        assertThatThrownBy(() -> KafkaPublisher.of(Map.of(), "payments"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("bootstrap.servers");
        assertThatThrownBy(() -> KafkaPublisher.of(with("acks", "all"), " "))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("topic");
    }

    @Test
    void headersOfOneNameAreRefused() {
        assertThatThrownBy(() -> KafkaPublisher.builder(with("acks", "all"), "payments")
                        .idHeader("message-type")
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("idHeader");
    }

    @Test
    void settingsThatAreNeededAreAdded() {
        Map<String, Object> values =
                ProducerSettings.of(with("acks", "-1"), "payments").values();
        assertThat(values)
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("linger.ms", 0)
                .containsEntry("key.serializer", ByteArraySerializer.class);
        assertThat(ProducerSettings.of(with("linger.ms", "5"), "payments").values())
                .containsEntry("linger.ms", "5");
    }

    @Test
    void nameSaysWhereMessagesGo() {
        try (KafkaPublisher publisher = KafkaPublisher.of(with("acks", "all"), "payments")) {
            assertThat(publisher.name()).isEqualTo("Kafka topic 'payments' at 127.0.0.1:1");
        }
    }
}
