package io.pigeonhole.examples.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What the narrator tells the consumer's process.
 *
 * @param bootstrapServers where Kafka is
 * @param databaseUrl where PostgreSQL is
 * @param directory where the two logs of deliveries are
 */
record ConsumerSettings(String bootstrapServers, String databaseUrl, Path directory) {
    static final String TOPIC = "payments";
    static final String GROUP = "payments";

    private static final int ARGUMENTS = 3;

    static ConsumerSettings of(String[] arguments) {
        if (arguments.length != ARGUMENTS) {
            throw new IllegalArgumentException("the demo starts this program, with " + ARGUMENTS + " arguments");
        }
        return new ConsumerSettings(arguments[0], arguments[1], Path.of(arguments[2]));
    }

    List<String> toArguments() {
        return List.of(bootstrapServers, databaseUrl, directory.toString());
    }

    /** A line for every record that Kafka handed to the process. */
    Path deliveries() {
        return directory.resolve("deliveries.log");
    }

    /** A line for every record that the inbox turned away as a duplicate. */
    Path duplicates() {
        return directory.resolve("duplicates.log");
    }

    /** The consumer's output. */
    Path output() {
        return directory.resolve("consumer.log");
    }

    /** The Kafka settings that both consumers share. */
    Map<String, Object> kafka() {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.GROUP_ID_CONFIG,
                GROUP,
                // A name of its own: when it comes back after a kill it takes its partitions at once. Without, the
                // group
                // would wait until the session of the dead one is over.
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                "demo-consumer",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                DeliveryTap.class.getName(),
                DeliveryTap.FILE,
                deliveries().toString());
    }
}
