package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The user's settings of the producer, with those that publishing each message at least once and in order depends on. */
record ProducerSettings(Map<String, Object> values) {
    private static final Map<String, Object> FORCED = Map.of(
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            true,
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class);

    /** How long a call of the client waits for the topic's metadata: short enough to say which topic is missing. */
    private static final int STANDARD_BLOCK_MILLIS = 10_000;

    /**
     * Checks and completes the settings.
     *
     * @throws ConfigurationException if one contradicts what is needed, with its name
     */
    static ProducerSettings of(Map<String, Object> user, String topic) {
        String publisher = "Kafka publisher of topic '" + topic + "': ";
        Map<String, Object> values = new HashMap<>(user);
        FORCED.forEach((name, needed) -> {
            Object given = values.put(name, needed);
            if (given != null && !isTheSame(name, given, needed)) {
                throw new ConfigurationException(publisher + name + " is " + textOf(given) + ", but has to be "
                        + textOf(needed) + ". Remove it, it is set for you");
            }
        });
        if (values.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG) != null) {
            throw new ConfigurationException(publisher + ProducerConfig.TRANSACTIONAL_ID_CONFIG
                    + " is set, but nothing is published in a transaction of Kafka. Remove it");
        }
        if (Boolean.parseBoolean(textOf(values.get(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)))) {
            throw new ConfigurationException(publisher + ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG
                    + " is true, but messages of one key keep their order in one partition only. Remove it");
        }
        if (values.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG) == null) {
            throw new ConfigurationException(publisher + ProducerConfig.BOOTSTRAP_SERVERS_CONFIG + " is missing");
        }
        values.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
        values.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, STANDARD_BLOCK_MILLIS);
        requireValid(values, publisher);
        return new ProducerSettings(Map.copyOf(values));
    }

    private static void requireValid(Map<String, Object> values, String publisher) {
        try {
            new ProducerConfig(values).ignore(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        } catch (ConfigException e) {
            throw new ConfigurationException(
                    publisher + "the producer refuses its settings: " + e.getMessage() + ". Correct them", e);
        }
    }

    private static boolean isTheSame(String name, Object given, Object needed) {
        String text = textOf(given);
        return text.equalsIgnoreCase(textOf(needed)) || (name.equals(ProducerConfig.ACKS_CONFIG) && text.equals("-1"));
    }

    private static String textOf(@Nullable Object value) {
        return value instanceof Class<?> type
                ? type.getName()
                : String.valueOf(value).trim();
    }

    /** Where the producer begins to look for brokers. */
    String bootstrapServers() {
        return textOf(values.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG));
    }
}
