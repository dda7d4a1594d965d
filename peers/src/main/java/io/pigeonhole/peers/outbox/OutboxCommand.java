package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.PostgresOptions;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteProgram;
import io.pigeonhole.embedded.EmbeddedKafka;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench outbox}: events from transactions to Kafka's confirmation, beside other libraries. */
@Command(
        name = "bench outbox",
        description =
                "Events from transactions to Kafka: Pigeonhole beside other outboxes and a bare producer, in one run.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class OutboxCommand implements Callable<Integer> {
    /** The threads of the peers, those that commit, and some to look around. */
    private static final int CONNECTIONS = 24;

    @Option(names = "--quick", description = "Fewer and shorter rounds.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds: 5 unless set, 2 with --quick.")
    private @Nullable Integer rounds;

    @Option(names = "--no-latencies", description = "Only the rounds, no latencies and no idle node.")
    private boolean noLatencies;

    @Option(
            names = "--variants",
            paramLabel = "NAME",
            split = ",",
            showDefaultValue = Visibility.NEVER,
            description = "Only these variants, and the ratios between them.")
    private List<String> only = new ArrayList<>();

    @Mixin
    private PostgresOptions postgres;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    OutboxCommand() {}

    /** Runs the suite; exits with 0 when it ran, with 2 for bad arguments. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new OutboxCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Sizes sizes = quick ? Sizes.QUICK : Sizes.FULL;
        int counted = rounds == null ? sizes.rounds() : rounds;
        if (counted < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds must be at least 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (DatabaseServer server = postgres.server(CONNECTIONS);
                EmbeddedKafka broker =
                        EmbeddedKafka.start(PostgresOptions.files().resolve("kafka"))) {
            if (!server.isDurable()) {
                out.println("WARNING: the server does not make commits durable; these are no numbers to show anybody");
            }
            OutboxSuite outboxes = OutboxSuite.create(server, broker, sizes);
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("events", sizes.describe());
            environment.put("broker", "Kafka inside this process, so that its processor time counts as the client's");
            environment.putAll(outboxes.configurations());
            new SuiteProgram(out, json)
                    .run(
                            chosen(outboxes.suite()),
                            environment,
                            counted,
                            Duration.ofDays(1),
                            measured -> outboxes.figures(measured, !noLatencies));
        }
        return 0;
    }

    private Suite chosen(Suite suite) {
        try {
            return only.isEmpty() ? suite : suite.only(only);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
