package io.pigeonhole.examples.demo;

import java.nio.file.Path;
import java.util.List;

/**
 * The settings of the consumer's process.
 *
 * @param broker which broker it is
 * @param brokerAddress where the broker is
 * @param databaseUrl where the database is
 * @param directory where the two logs of deliveries are
 */
record ConsumerSettings(BrokerKind broker, String brokerAddress, String databaseUrl, Path directory) {
    static final String QUEUE = "payments";
    static final String CONSUMER = "payments";

    private static final int ARGUMENTS = 4;

    static ConsumerSettings of(String[] arguments) {
        if (arguments.length != ARGUMENTS) {
            throw new IllegalArgumentException("the demo starts this program, with " + ARGUMENTS + " arguments");
        }
        return new ConsumerSettings(
                BrokerKind.valueOf(arguments[0]), arguments[1], arguments[2], Path.of(arguments[3]));
    }

    List<String> toArguments() {
        return List.of(broker.name(), brokerAddress, databaseUrl, directory.toString());
    }

    /** A line for every message that the broker handed to the process. */
    Path deliveries() {
        return directory.resolve("deliveries.log");
    }

    /** A line for every message that the inbox turned away as a duplicate. */
    Path duplicates() {
        return directory.resolve("duplicates.log");
    }

    /** The consumer's output. */
    Path output() {
        return directory.resolve("consumer.log");
    }
}
