package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.PostgresOptions;
import io.pigeonhole.benchmarks.suite.SuiteProgram;
import io.pigeonhole.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench kafka}: what exactly once costs from a Kafka topic to the database. */
@Command(
        name = "kafka",
        description =
                "From a topic to the database: Pigeonhole, and the same batched writes with a hand-written inbox and without.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class KafkaCommand implements Callable<Integer> {
    private static final int CONNECTIONS = 10;

    @Option(names = "--messages", paramLabel = "N", description = "Messages in the topic.")
    private int messages = 200_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds.")
    private int rounds = 9;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Mixin
    private PostgresOptions postgres;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    KafkaCommand() {}

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || messages < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds and --messages are at least 1");
        }
        try (DatabaseServer server = postgres.server(CONNECTIONS);
                EmbeddedKafka broker =
                        EmbeddedKafka.start(PostgresOptions.files().resolve("kafka"))) {
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("messages", messages + " in one topic with " + KafkaSuite.SHAPE.threads() + " partitions");
            new SuiteProgram(spec.commandLine().getOut(), json)
                    .run(KafkaSuite.create(server, broker, messages), environment, rounds, Duration.ofDays(1));
        }
        return 0;
    }
}
