package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The user's settings of the consumer, with those that exactly-once depends on. */
record ConsumerSettings(Map<String, Object> values) {
    private static final Map<String, Object> FORCED = Map.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ByteArrayDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ByteArrayDeserializer.class);
    private static final int STANDARD_POLL_INTERVAL = 300_000;
    private static final int STANDARD_HEARTBEAT = 3_000;

    /**
     * Checks and completes the settings.
     *
     * @throws ConfigurationException if one contradicts what is needed, with its name
     */
    static ConsumerSettings of(Map<String, Object> user, String consumer, Duration revocationTimeout) {
        Map<String, Object> values = new HashMap<>(user);
        FORCED.forEach((name, needed) -> {
            Object given = values.put(name, needed);
            if (given != null && !textOf(given).equals(textOf(needed))) {
                throw new ConfigurationException("Kafka source of inbox '" + consumer + "': " + name + " is "
                        + textOf(given) + ", but has to be " + textOf(needed) + ". Remove it, it is set for you");
            }
        });
        if (values.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) == null) {
            throw new ConfigurationException("Kafka source of inbox '" + consumer + "': "
                    + ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG + " is missing");
        }
        values.putIfAbsent(ConsumerConfig.GROUP_ID_CONFIG, consumer);
        values.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        requireRoomForRevocation(values, consumer, revocationTimeout);
        return new ConsumerSettings(Map.copyOf(values));
    }

    /** A member that does not poll in time is evicted, and a revocation is waited for between two polls. */
    private static void requireRoomForRevocation(
            Map<String, Object> values, String consumer, Duration revocationTimeout) {
        Object given = pollInterval(values);
        if (revocationTimeout.toMillis() >= millisOf(given, consumer)) {
            throw new ConfigurationException("Kafka source of inbox '" + consumer + "': revocationTimeout "
                    + DurationText.of(revocationTimeout) + " is not below " + ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG
                    + " " + given
                    + " (ms); shorten it, or the group evicts this member while it waits");
        }
    }

    private static Object pollInterval(Map<String, Object> values) {
        return values.getOrDefault(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, STANDARD_POLL_INTERVAL);
    }

    /** How long a member may go without a poll before the group takes its partitions away. */
    Duration maxPollInterval(String consumer) {
        return Duration.ofMillis(millisOf(pollInterval(values), consumer));
    }

    /** How often a member says at least that it is there, unless the brokers say how often. */
    Duration heartbeat(String consumer) {
        Object given = values.getOrDefault(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, STANDARD_HEARTBEAT);
        return Duration.ofMillis(millisOf(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, given, consumer));
    }

    private static long millisOf(Object pollInterval, String consumer) {
        return millisOf(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, pollInterval, consumer);
    }

    private static long millisOf(String setting, Object given, String consumer) {
        try {
            return Long.parseLong(textOf(given));
        } catch (NumberFormatException e) {
            throw new ConfigurationException(
                    "Kafka source of inbox '" + consumer + "': " + setting + " is " + given + ", which is no number",
                    e);
        }
    }

    /** Whether partitions without an offset of the group begin behind what they have. */
    boolean beginsAtEnd() {
        return textOf(values.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)).equals("latest");
    }

    /** How many records one poll may bring. */
    int maxPollRecords() {
        Object given =
                values.getOrDefault(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS);
        try {
            return Integer.parseInt(textOf(given));
        } catch (NumberFormatException e) {
            throw new ConfigurationException(
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG + " is " + given + ", which is no number", e);
        }
    }

    private static String textOf(@Nullable Object value) {
        return value instanceof Class<?> type
                ? type.getName()
                : String.valueOf(value).trim();
    }

    /** What a client for administration needs of them: how to connect, and whatever Kafka itself does not know. */
    Map<String, Object> forAdmin() {
        Set<String> ofConsumers = ConsumerConfig.configNames();
        Set<String> ofAdmins = AdminClientConfig.configNames();
        Map<String, Object> admin = new HashMap<>(values);
        admin.keySet().removeIf(name -> ofConsumers.contains(name) && !ofAdmins.contains(name));
        return admin;
    }
}
