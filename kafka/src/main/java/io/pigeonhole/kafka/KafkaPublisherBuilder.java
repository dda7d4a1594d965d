package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** Collects the settings of a {@link KafkaPublisher}. Not safe for use by many threads. */
public final class KafkaPublisherBuilder {
    private final Map<String, Object> producerConfig;
    private final String topic;
    private String idHeader = "message-id";
    private String typeHeader = "message-type";
    private String contentTypeHeader = "content-type";
    private Function<Map<String, Object>, Producer<byte[], byte[]>> producerFactory = KafkaProducer::new;

    KafkaPublisherBuilder(Map<String, Object> producerConfig, String topic) {
        this.producerConfig = producerConfig;
        this.topic = topic;
    }

    /**
     * Names the header that gets the id of a message.
     *
     * @param name the header, {@code message-id} unless set
     * @return this
     */
    public KafkaPublisherBuilder idHeader(String name) {
        this.idHeader = name;
        return this;
    }

    /**
     * Names the header that gets the type of a message, as UTF-8.
     *
     * @param name the header, {@code message-type} unless set
     * @return this
     */
    public KafkaPublisherBuilder typeHeader(String name) {
        this.typeHeader = name;
        return this;
    }

    /**
     * Names the header that gets the media type of the payload, as UTF-8.
     *
     * @param name the header, {@code content-type} unless set
     * @return this
     */
    public KafkaPublisherBuilder contentTypeHeader(String name) {
        this.contentTypeHeader = name;
        return this;
    }

    /**
     * Replaces the making of the producer, for instrumentation: a factory may wrap the producer that it makes. It is called with the
     * complete configuration at the first message, and again whenever the publisher has given a producer up and closed it.
     *
     * @param factory makes a new producer at each call, {@code KafkaProducer::new} unless set
     * @return this
     */
    public KafkaPublisherBuilder producerFactory(Function<Map<String, Object>, Producer<byte[], byte[]>> factory) {
        this.producerFactory = factory;
        return this;
    }

    /**
     * Checks the settings together and makes the publisher.
     *
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if settings are wrong or contradict what publishing depends on
     */
    public KafkaPublisher build() {
        if (topic.isBlank()) {
            throw new ConfigurationException("Kafka publisher: topic is blank; name one");
        }
        Set<String> headers = Set.copyOf(List.of(idHeader, typeHeader, contentTypeHeader));
        if (headers.size() < 3 || headers.stream().anyMatch(String::isBlank)) {
            throw new ConfigurationException("Kafka publisher of topic '" + topic + "': idHeader '" + idHeader
                    + "', typeHeader '" + typeHeader + "' and contentTypeHeader '" + contentTypeHeader
                    + "' have to be three different names");
        }
        ProducerSettings settings = ProducerSettings.of(producerConfig, topic);
        return new KafkaPublisher(
                "Kafka topic '" + topic + "' at " + settings.bootstrapServers(),
                new RecordMaker(topic, idHeader, typeHeader, contentTypeHeader),
                new SharedProducer(() -> producerFactory.apply(settings.values())));
    }
}
