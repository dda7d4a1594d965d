package io.pigeonhole.benchmarks.suite;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs a suite from a command line and says what came of it. */
public final class SuiteProgram {
    private final PrintWriter out;
    private final @Nullable Path json;

    /**
     * A program.
     *
     * @param out where the progress and the tables go
     * @param json the file that the result goes to too, null for none
     */
    public SuiteProgram(PrintWriter out, @Nullable Path json) {
        this.out = out;
        this.json = json;
    }

    /** Measures what is no speed of a variant. */
    @FunctionalInterface
    public interface Figures {
        /** Measures. */
        List<Figure> measure(List<Round> rounds) throws Exception;
    }

    /**
     * Runs a suite and reports on it.
     *
     * @param suite what to run
     * @param environment what it runs on
     * @param rounds how many rounds count
     * @param budget the time after which no further round begins
     * @throws Exception what a variant threw
     */
    public void run(Suite suite, Map<String, String> environment, int rounds, Duration budget) throws Exception {
        run(suite, environment, rounds, budget, measured -> List.of());
    }

    /**
     * The same, with what is measured behind the rounds.
     *
     * @param figures gets the rounds, and measures it
     * @throws Exception what a variant threw, or this
     */
    public void run(Suite suite, Map<String, String> environment, int rounds, Duration budget, Figures figures)
            throws Exception {
        List<Round> measured = new SuiteRunner(suite, budget, out::println).run(rounds);
        SuiteResult result = new SuiteResult(suite, environment, measured, figures.measure(measured));
        out.println();
        out.print(new TableReport(result).text());
        out.flush();
        if (json != null) {
            new JsonReport(result).write(json);
        }
    }
}
