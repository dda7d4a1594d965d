package io.pigeonhole.benchmarks.suite;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs the variants of a suite in turns. Each round begins with another variant and every other one runs backwards, so
 * that no variant always comes after the same other, and drift hits all of them alike.
 */
public final class SuiteRunner {
    private final Suite suite;
    private final Duration budget;
    private final Consumer<String> progress;

    /**
     * A runner.
     *
     * @param suite what to run
     * @param budget the time after which no further round begins: on a slow or busy machine it is better to have fewer
     *     rounds than shorter ones
     * @param progress gets each measurement as one line
     */
    public SuiteRunner(Suite suite, Duration budget, Consumer<String> progress) {
        this.suite = suite;
        this.budget = budget;
        this.progress = progress;
    }

    /**
     * Runs one round that is not counted, then the counted ones.
     *
     * @param rounds how many, at least 1
     * @return the counted rounds, at least one
     * @throws Exception what a variant threw; the run ends with it
     */
    public List<Round> run(int rounds) throws Exception {
        long began = System.nanoTime();
        round("warm-up", 0);
        List<Round> counted = new ArrayList<>();
        while (counted.size() < rounds) {
            int number = counted.size();
            counted.add(round("round " + (number + 1) + "/" + rounds, number));
            long spent = System.nanoTime() - began;
            long perRound = spent / (counted.size() + 1);
            if (counted.size() < rounds && spent + perRound > budget.toNanos()) {
                progress.accept("The time is over; " + counted.size() + " rounds count.");
                break;
            }
        }
        return counted;
    }

    private Round round(String label, int number) throws Exception {
        Map<String, Measurement> measured = new HashMap<>();
        for (Variant variant : order(number)) {
            Measurement measurement = variant.measure();
            measured.put(variant.name(), measurement);
            progress.accept(String.format(
                    Locale.ROOT,
                    "%-11s %-24s %,10.0f messages/s%s",
                    label,
                    variant.name(),
                    measurement.messagesPerSecond(),
                    measurement.violation() == null ? "" : "   VIOLATED: " + measurement.violation()));
        }
        Map<String, Measurement> inOrder = new LinkedHashMap<>();
        for (Variant variant : suite.variants()) {
            inOrder.put(variant.name(), requireNonNull(measured.get(variant.name())));
        }
        return new Round(inOrder);
    }

    private List<Variant> order(int round) {
        List<Variant> order = new ArrayList<>(suite.variants());
        Collections.rotate(order, -2 * round);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }
}
