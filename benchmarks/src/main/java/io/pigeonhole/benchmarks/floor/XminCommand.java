package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.PostgresOptions;
import io.pigeonhole.benchmarks.suite.SuiteProgram;
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

/** {@code bench xmin}: what a transaction that somebody holds open costs the workers. */
@Command(
        name = "xmin",
        description = "The workers' speed after many completions, with and without a transaction that is held open.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class XminCommand implements Callable<Integer> {
    private static final int CONNECTIONS = 8;

    @Option(names = "--completions", paramLabel = "N", description = "Messages finished before the measurement.")
    private int completions = 100_000;

    @Option(names = "--messages", paramLabel = "N", description = "Messages of the measurement.")
    private int messages = 50_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds.")
    private int rounds = 3;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Mixin
    private PostgresOptions postgres;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    XminCommand() {}

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || completions < 1 || messages < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds, --completions and --messages are at least 1");
        }
        try (DatabaseServer server = postgres.server(CONNECTIONS)) {
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("messages", messages + " after " + completions + " completions");
            new SuiteProgram(spec.commandLine().getOut(), json)
                    .run(XminSuite.create(server, completions, messages), environment, rounds, Duration.ofDays(1));
        }
        return 0;
    }
}
