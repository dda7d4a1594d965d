package io.pigeonhole.peers;

import io.pigeonhole.benchmarks.floor.Sizes;
import io.pigeonhole.benchmarks.floor.WorkloadShape;
import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.server.PostgresOptions;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.SuiteProgram;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

/** {@code bench peers}: starts or finds a PostgreSQL, runs the suite and prints what came of it. */
@Command(
        name = "bench peers",
        description = "Pigeonhole beside other libraries that recognise duplicates, in one run.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
public final class PeersCommand implements Callable<Integer> {
    /** A connection for each of a thread's transactions, and some to look around. */
    private static final int CONNECTIONS_PER_THREAD = 2;

    private static final int SPARE_CONNECTIONS = 2;

    /** An embedded PostgreSQL has a hundred connections. */
    private static final int MOST_THREADS = 48;

    private static final Duration QUICK_BUDGET = Duration.ofMinutes(3);
    private static final Duration UNLIMITED = Duration.ofDays(1);

    @Option(names = "--quick", description = "Fewer and shorter rounds, about three minutes in all.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there too.")
    private @Nullable Path json;

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds: 9 unless set, 5 with --quick.")
    private @Nullable Integer rounds;

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

    @Option(names = "--threads", paramLabel = "N", defaultValue = "4", description = "Threads that hand messages in.")
    private int threads;

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
    PeersCommand() {}

    /** Runs the suite; exits with 0 when it ran, with 2 for bad arguments. A peer that violates exactly-once is shown. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new PeersCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Sizes sizes = quick ? Sizes.QUICK : Sizes.FULL;
        int counted = rounds == null ? sizes.rounds() : rounds;
        require(counted >= 1, "--rounds must be at least 1");
        require(duplicates >= 0 && duplicates < 100, "--duplicates must be from 0 to 99");
        require(threads >= 1 && threads <= MOST_THREADS, "--threads must be from 1 to " + MOST_THREADS);
        int connections = threads * CONNECTIONS_PER_THREAD + SPARE_CONNECTIONS;
        PrintWriter out = spec.commandLine().getOut();
        try (DatabaseServer server = postgres.server(connections)) {
            if (!server.isDurable()) {
                out.println("WARNING: the server does not make commits durable; these are no numbers to show anybody");
            }
            PeersSuite peers = PeersSuite.create(server, sizes, new WorkloadShape(threads, ids, duplicates));
            Map<String, String> environment = new LinkedHashMap<>(server.environment());
            environment.put("duplicates", duplicates + " % of the deliveries");
            environment.put("ids", ids.label());
            environment.put("threads", String.valueOf(threads));
            environment.put("messages", sizes.describe());
            environment.put("pool", connections + " connections, " + isolation(server));
            environment.putAll(peers.configurations());
            new SuiteProgram(out, json)
                    .run(chosen(peers.suite()), environment, counted, quick ? QUICK_BUDGET : UNLIMITED);
        }
        return 0;
    }

    /** The level that all variants work at: the server's, as nobody sets another. */
    private static String isolation(DatabaseServer server) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('default_transaction_isolation')")) {
            row.next();
            return row.getString(1);
        }
    }

    private Suite chosen(Suite suite) {
        try {
            return only.isEmpty() ? suite : suite.only(only);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
