package io.pigeonhole.examples.demo;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the demonstration. The last line on standard output is one JSON object. */
@Command(
        name = "demo",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "",
            "Payments from a real broker change balances in a real database exactly once, while duplicates are injected"
                    + " and the consuming process is killed again and again. Everything is in examples/target: no"
                    + " server is needed, none is left behind.",
            ""
        },
        footer = {
            "",
            "Three services in a row, over HTTP, Kafka, RabbitMQ and SQS:",
            "  ./demo chain --help",
            "",
            "Exit codes:",
            "  0  exactly once",
            "  1  not exactly once, or it could not be found out",
            "  2  wrong arguments",
            "  3  money multiplied, as it must without the inbox"
        })
public final class Demo implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int MULTIPLIED = 3;
    private static final int FEWEST_MESSAGES = 200;
    private static final int MOST_MESSAGES = 5_000_000;
    private static final int MESSAGES_PER_KILL = 40;

    @Option(
            names = "--messages",
            paramLabel = "N",
            defaultValue = "50000",
            description = "messages sent to the broker, 22 %% of them duplicates (default: ${DEFAULT-VALUE})")
    private int messages;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "5",
            description = "how often the consumer is killed with SIGKILL (default: ${DEFAULT-VALUE})")
    private int kills;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "decides on payments, duplicates and moments of the kills (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--broker",
            paramLabel = "NAME",
            defaultValue = "kafka",
            description = "where payments come from: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private BrokerKind broker = BrokerKind.KAFKA;

    @Option(
            names = "--database",
            paramLabel = "NAME",
            defaultValue = "postgresql",
            description = "where the balances are: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private DatabaseKind database = DatabaseKind.POSTGRESQL;

    @Option(names = "--without-inbox", description = "the same story with a plain consumer, to see money multiply")
    private boolean withoutInbox;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this and exit")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Demo() {}

    /**
     * Runs the demonstration and ends the process.
     *
     * @param arguments see the usage
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Demo())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() {
        require(
                messages >= FEWEST_MESSAGES && messages <= MOST_MESSAGES,
                "--messages must be from " + FEWEST_MESSAGES + " to " + MOST_MESSAGES);
        require(kills >= 0, "--kills must not be negative");
        require(
                (long) kills * MESSAGES_PER_KILL <= messages,
                "--kills: at most one per " + MESSAGES_PER_KILL + " messages");
        require(
                !withoutInbox || broker == BrokerKind.KAFKA,
                "--without-inbox: the plain consumer is written for Kafka only");
        boolean terminal = Boolean.getBoolean("demo.terminal");
        Progress progress = new Progress(System.err, terminal, withoutInbox ? "paid again" : "turned away");
        try (Teardown teardown = new Teardown()) {
            return run(progress, teardown);
        }
    }

    private int run(Progress progress, Teardown teardown) {
        try {
            Path base = Path.of(System.getProperty("demo.directory", "target/demo"));
            Report report =
                    new Story(messages, kills, seed, !withoutInbox, broker, database, progress, teardown).run(base);
            progress.clear();
            return conclude(report, progress);
        } catch (Exception e) {
            if (teardown.isClosed()) {
                return FAILED; // Somebody pressed Ctrl-C; whatever broke then broke because of it.
            }
            progress.sayVerdict(false, "The demo could not be run to its end: " + e.getMessage());
            if (!(e instanceof Story.StalledException)) {
                e.printStackTrace();
            }
            return FAILED;
        }
    }

    private int conclude(Report report, Progress progress) {
        System.out.println();
        System.out.println(report.toTable());
        System.out.flush();
        report.objections().stream().limit(withoutInbox ? 0 : 10).forEach(progress::say);
        int code;
        if (withoutInbox) {
            code = report.duplicated() > 0 && !report.exactlyOnce() ? MULTIPLIED : FAILED;
            progress.sayVerdict(
                    false, code == MULTIPLIED ? "Money multiplied." : "No effect was duplicated: a bug of the demo.");
        } else {
            code = report.exactlyOnce() ? 0 : FAILED;
            progress.sayVerdict(code == 0, code == 0 ? "Exactly once." : "NOT exactly once.");
        }
        System.out.println(report.toJson());
        System.out.flush();
        return code;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
