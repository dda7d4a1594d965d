package io.pigeonhole.examples.chain;

import io.pigeonhole.examples.demo.Progress;
import io.pigeonhole.examples.demo.Teardown;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the chain. The last line on standard output is one JSON object. */
@Command(
        name = "demo chain",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "",
            "Three services, each with a process and a database of its own, an inbox and an outbox: orders come over HTTP"
                    + " with idempotency keys and go over Kafka, RabbitMQ's protocol and SQS. Requests and messages are"
                    + " repeated, transactions are rolled back, and services, relays and the database server are killed"
                    + " again and again. Each order has each of its effects exactly once, in the order of its customer.",
            ""
        },
        footer = {
            "",
            "Exit codes:",
            "  0  exactly once",
            "  1  not exactly once, or it could not be found out",
            "  2  wrong arguments"
        })
public final class ChainDemo implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int FEWEST_ORDERS = 100;
    private static final int MOST_ORDERS = 1_000_000;
    private static final int ORDERS_PER_KILL = 20;
    private static final int MOST_SHOWN = 10;

    @Option(
            names = "--orders",
            paramLabel = "N",
            defaultValue = "20000",
            description = "orders that are accepted (default: ${DEFAULT-VALUE})")
    private int orders;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "30",
            description =
                    "how often a service, a relay or the database is killed with SIGKILL (default: ${DEFAULT-VALUE})")
    private int kills;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description =
                    "decides on orders, repetitions, and moments and victims of the kills (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this and exit")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private ChainDemo() {}

    /**
     * Runs the chain and ends the process.
     *
     * @param arguments see the usage
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ChainDemo()).execute(arguments));
    }

    @Override
    public Integer call() {
        require(
                orders >= FEWEST_ORDERS && orders <= MOST_ORDERS,
                "--orders must be from " + FEWEST_ORDERS + " to " + MOST_ORDERS);
        require(kills >= 0, "--kills must not be negative");
        require((long) kills * ORDERS_PER_KILL <= orders, "--kills: at most one per " + ORDERS_PER_KILL + " orders");
        Progress progress = new Progress(System.err, Boolean.getBoolean("demo.terminal"), "");
        try (Teardown teardown = new Teardown()) {
            return run(progress, teardown);
        }
    }

    private int run(Progress progress, Teardown teardown) {
        try {
            ChainReport report = new Chain(orders, kills, seed, progress, teardown)
                    .run(Path.of(System.getProperty("demo.directory", "target/demo")));
            System.out.println();
            System.out.println(report.toTable());
            System.out.flush();
            report.objections().stream().limit(MOST_SHOWN).forEach(progress::say);
            progress.sayVerdict(report.exactlyOnce(), report.exactlyOnce() ? "Exactly once." : "NOT exactly once.");
            System.out.println(report.toJson());
            System.out.flush();
            return report.exactlyOnce() ? 0 : FAILED;
        } catch (Exception e) {
            if (!teardown.isClosed()) {
                // Otherwise somebody pressed Ctrl-C; whatever broke then broke because of it.
                progress.sayVerdict(false, "The demo could not be run to its end: " + e.getMessage());
                e.printStackTrace();
            }
            return FAILED;
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
