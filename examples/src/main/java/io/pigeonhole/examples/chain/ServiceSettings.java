package io.pigeonhole.examples.chain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The settings of a service's process.
 *
 * @param databaseUrl where its database is
 * @param kafka where Kafka is
 * @param amqpPort where RabbitMQ, or what stands in for it, is
 * @param sqs where SQS is
 * @param directory where the logs of deliveries are
 */
record ServiceSettings(String databaseUrl, String kafka, int amqpPort, String sqs, Path directory) {
    private static final int ARGUMENTS = 5;

    static ServiceSettings of(String[] arguments) {
        if (arguments.length != ARGUMENTS) {
            throw new IllegalArgumentException("the demo starts this program, with " + ARGUMENTS + " arguments");
        }
        return new ServiceSettings(
                arguments[0], arguments[1], Integer.parseInt(arguments[2]), arguments[3], Path.of(arguments[4]));
    }

    List<String> toArguments() {
        return List.of(databaseUrl, kafka, Integer.toString(amqpPort), sqs, directory.toString());
    }

    /** A line for every message of a stage that the broker handed to a service. */
    Path deliveries(Stage stage) {
        return directory.resolve("deliveries-" + stage.place() + ".log");
    }

    /** Where clients find the port of the service that takes orders. */
    Path port() {
        return directory.resolve("orders.port");
    }

    /** Replaces the port at once, so that nobody reads half of it. */
    void publishPort(int port) throws IOException {
        Path written = Files.writeString(directory.resolve("orders.port.new"), Integer.toString(port));
        Files.move(written, port(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
