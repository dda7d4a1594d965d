package io.pigeonhole.benchmarks.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What came of a run.
 *
 * @param suite what was run
 * @param environment what it ran on, as names and values for the report
 * @param rounds the counted rounds, at least one
 * @param figures what was measured besides, maybe nothing
 */
public record SuiteResult(Suite suite, Map<String, String> environment, List<Round> rounds, List<Figure> figures) {
    /** Copies the rounds and the figures. */
    public SuiteResult {
        rounds = List.copyOf(rounds);
        figures = List.copyOf(figures);
    }

    /** Of a suite that measures nothing but its variants. */
    public SuiteResult(Suite suite, Map<String, String> environment, List<Round> rounds) {
        this(suite, environment, rounds, List.of());
    }

    /** A variant's deliveries per second over the rounds. */
    public Spread messagesPerSecond(String variant) {
        return spread(round -> round.of(variant).messagesPerSecond());
    }

    /** The client's processor time for a delivery, in microseconds. */
    public Spread clientMicros(String variant) {
        return spread(round -> round.of(variant).clientMicros());
    }

    /** The server's processor time for a delivery, in microseconds. */
    public Spread serverMicros(String variant) {
        return spread(round -> round.of(variant).serverMicros());
    }

    /** The ratio of the deliveries per second, taken within each round: what slows a whole round cancels out. */
    public Spread ratio(Ratio ratio) {
        return spread(round -> round.of(ratio.numerator()).messagesPerSecond()
                / round.of(ratio.denominator()).messagesPerSecond());
    }

    /** The ratio of the effects per second: a variant that skips duplicates gains nothing by what it skips. */
    public Spread ratioPerEffect(Ratio ratio) {
        return spread(round -> round.of(ratio.numerator()).effectsPerSecond()
                / round.of(ratio.denominator()).effectsPerSecond());
    }

    /** What was wrong with what a variant left, with the round: empty if all was right. */
    public List<String> violations(String variant) {
        List<String> violations = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            String violation = rounds.get(i).of(variant).violation();
            if (violation != null) {
                violations.add("round " + (i + 1) + ": " + violation);
            }
        }
        return violations;
    }

    private Spread spread(ToDoubleFunction<Round> value) {
        return Spread.of(rounds.stream().mapToDouble(value).toArray());
    }
}
