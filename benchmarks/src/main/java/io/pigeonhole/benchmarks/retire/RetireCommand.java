package io.pigeonhole.benchmarks.retire;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.PostgresOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench retire}: what it costs to forget. */
@Command(
        name = "retire",
        description = "Drops a day of the ledger and deletes keys in digest form, while messages are accepted.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class RetireCommand implements Callable<Integer> {
    private static final int SPARE_CONNECTIONS = 3;
    private static final Duration UNDISTURBED = Duration.ofSeconds(3);

    @Option(names = "--rows", paramLabel = "N", description = "Keys of a day, and keys in digest form.")
    private int rows = 1_000_000;

    @Mixin
    private PostgresOptions postgres;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    RetireCommand() {}

    @Override
    public Integer call() throws Exception {
        if (rows < 1) {
            throw new ParameterException(spec.commandLine(), "--rows is at least 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (DatabaseServer server = postgres.server(Load.THREADS + SPARE_CONNECTIONS)) {
            server.environment().forEach((name, value) -> out.println(name + ": " + value));
            RetireBench bench = RetireBench.create(server, rows, UNDISTURBED);
            out.println(bench.day().describe("a day of " + rows + " keys"));
            out.flush();
            out.println(bench.digests().describe(rows + " keys in digest form"));
            out.flush();
        }
        return 0;
    }
}
