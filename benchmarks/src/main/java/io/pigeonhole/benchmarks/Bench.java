package io.pigeonhole.benchmarks;

import io.pigeonhole.benchmarks.floor.FloorCommand;
import io.pigeonhole.benchmarks.floor.KafkaCommand;
import io.pigeonhole.benchmarks.floor.XminCommand;
import io.pigeonhole.benchmarks.report.ReportCommand;
import io.pigeonhole.benchmarks.retire.RetireCommand;
import io.pigeonhole.benchmarks.scale.ScaleCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program behind the script {@code bench}: a subcommand for each suite, and one that makes pages from their results. */
@Command(
        name = "bench",
        description = "Measures Pigeonhole side by side with the alternatives, in one run.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "SUITE",
        subcommands = {
            FloorCommand.class,
            KafkaCommand.class,
            ReportCommand.class,
            RetireCommand.class,
            ScaleCommand.class,
            XminCommand.class
        })
public final class Bench {
    private Bench() {}

    /** Runs a subcommand; exits with 0 when it ran and all its invariants held, with 2 for bad arguments. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }
}
