package io.pigeonhole.benchmarks.scale;

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

/** {@code bench scale}: what a full ledger costs those who accept messages. */
@Command(
        name = "scale",
        description = "The speed of acceptance with a full ledger and with an empty one, by what the ids are.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class ScaleCommand implements Callable<Integer> {
    private static final int SPARE_CONNECTIONS = 2;

    @Option(names = "--rows", paramLabel = "N", description = "Keys of each form in the full ledger.")
    private long rows = 10_000_000;

    @Option(names = "--messages", paramLabel = "N", description = "Messages of a measurement.")
    private int messages = 200_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds.")
    private int rounds = 5;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Mixin
    private PostgresOptions postgres;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    ScaleCommand() {}

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || rows < 1 || messages < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds, --rows and --messages are at least 1");
        }
        try (DatabaseServer server = postgres.server(ScaleSuite.THREADS + SPARE_CONNECTIONS)) {
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("messages", messages + " in batches, " + rows + " keys of each form before");
            new SuiteProgram(spec.commandLine().getOut(), json)
                    .run(ScaleSuite.create(server, rows, messages), environment, rounds, Duration.ofDays(1));
        }
        return 0;
    }
}
