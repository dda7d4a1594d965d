package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.Product;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteProgram;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench floor}: starts or finds a server, runs the suite and prints what came of it. */
@Command(
        name = "floor",
        description = "What exactly once costs: Pigeonhole, the same work without an inbox, and a hand-written inbox.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class FloorCommand implements Callable<Integer> {
    private static final int SPARE_CONNECTIONS = 2;

    /** An embedded PostgreSQL has a hundred connections. */
    private static final int MOST_THREADS = 64;

    private static final Duration QUICK_BUDGET = Duration.ofSeconds(80);
    private static final Duration UNLIMITED = Duration.ofDays(1);
    private static final Path SERVER_FILES = Path.of(System.getProperty("pigeonhole.target", "target"));

    @Option(names = "--quick", description = "Fewer and shorter rounds, under two minutes in all.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds: 9 unless set, 5 with --quick.")
    private @Nullable Integer rounds;

    @Option(
            names = "--database",
            paramLabel = "NAME",
            defaultValue = "postgresql",
            description = "${COMPLETION-CANDIDATES}.")
    private Product database = Product.POSTGRESQL;

    @Option(
            names = "--url",
            paramLabel = "JDBC",
            description = "A running server, in which a database is created and dropped; one is started unless set.")
    private @Nullable String url;

    @Option(
            names = "--duplicates",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description = "How many of 100 deliveries repeat an earlier message.")
    private int duplicates;

    @Option(
            names = "--ids",
            paramLabel = "VERSION",
            defaultValue = "v7",
            description = "Message ids: v4, random UUIDs, or v7, time-ordered ones.")
    private UuidVersion ids = UuidVersion.V7;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads that hand messages in; variants that store first have two and two always.")
    private int threads;

    @Option(
            names = "--variants",
            paramLabel = "NAME",
            split = ",",
            showDefaultValue = Visibility.NEVER,
            description = "Only these variants, and the ratios between them.")
    private List<String> only = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    FloorCommand() {}

    @Override
    public Integer call() throws Exception {
        Sizes sizes = quick ? Sizes.QUICK : Sizes.FULL;
        int counted = rounds == null ? sizes.rounds() : rounds;
        require(counted >= 1, "--rounds must be at least 1");
        require(duplicates >= 0 && duplicates < 100, "--duplicates must be from 0 to 99");
        require(threads >= 1 && threads <= MOST_THREADS, "--threads must be from 1 to " + MOST_THREADS);
        WorkloadShape shape = new WorkloadShape(threads, ids, duplicates);
        PrintWriter out = spec.commandLine().getOut();
        try (DatabaseServer server = server()) {
            if (!server.isDurable()) {
                out.println("WARNING: the server does not make commits durable; these are no numbers to show anybody");
            }
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("duplicates", duplicates + " % of the deliveries");
            environment.put("ids", ids.label());
            environment.put("threads", String.valueOf(threads));
            environment.put("messages", sizes.describe());
            Suite suite = FloorSuite.create(server, sizes, shape);
            if (!only.isEmpty()) {
                suite = chosen(suite);
            }
            new SuiteProgram(out, json).run(suite, environment, counted, quick ? QUICK_BUDGET : UNLIMITED);
        }
        return 0;
    }

    private Suite chosen(Suite suite) {
        try {
            return suite.only(only);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private DatabaseServer server() throws SQLException {
        int connections = Math.max(threads, StoreThenProcess.RECEIVERS + StoreThenProcess.WORKERS) + SPARE_CONNECTIONS;
        if (url == null) {
            return DatabaseServer.start(database, SERVER_FILES, connections);
        }
        return DatabaseServer.at(database, url, connections);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
