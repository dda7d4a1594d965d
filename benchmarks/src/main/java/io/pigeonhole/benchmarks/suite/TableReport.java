package io.pigeonhole.benchmarks.suite;

import java.util.List;
import java.util.Locale;

/** A result as text for a person. */
public final class TableReport {
    private final SuiteResult result;

    /** The report of a result. */
    public TableReport(SuiteResult result) {
        this.result = result;
    }

    /** The text, with a line break at its end. */
    public String text() {
        StringBuilder text = new StringBuilder();
        int width = result.environment().keySet().stream()
                .mapToInt(String::length)
                .max()
                .orElse(1);
        result.environment().forEach((name, value) -> line(text, "%-" + width + "s  %s", name, value));
        line(text, "");
        line(text, "%-24s %10s %10s %10s   %10s %10s", "messages/s", "median", "min", "max", "client µs", "server µs");
        for (Variant variant : result.suite().variants()) {
            line(text, "%s", row(variant.name()));
        }
        line(text, "");
        line(
                text,
                "%-44s %7s %7s %7s %11s %8s",
                "ratio, paired within each round",
                "median",
                "min",
                "max",
                "per effect",
                "target");
        for (Ratio ratio : result.suite().ratios()) {
            line(text, "%s", row(ratio));
        }
        if (!result.figures().isEmpty()) {
            line(text, "");
            line(text, "%-64s %12s", "besides", "measured");
            result.figures().forEach(figure -> line(text, "%s", row(figure)));
        }
        for (Variant variant : result.suite().variants()) {
            addViolations(text, variant.name());
        }
        return text.toString();
    }

    private void addViolations(StringBuilder text, String variant) {
        List<String> violations = result.violations(variant);
        if (!violations.isEmpty()) {
            line(text, "");
            line(
                    text,
                    "VIOLATED by %s in %d of %d rounds, its speed means nothing:",
                    variant,
                    violations.size(),
                    result.rounds().size());
            violations.forEach(violation -> line(text, "    %s", violation));
        }
    }

    private String row(String variant) {
        Spread speed = result.messagesPerSecond(variant);
        return format(
                "%-24s %,10.0f %,10.0f %,10.0f   %10.1f %10.1f%s",
                variant,
                speed.median(),
                speed.min(),
                speed.max(),
                result.clientMicros(variant).median(),
                result.serverMicros(variant).median(),
                result.violations(variant).isEmpty() ? "" : "   VIOLATED");
    }

    private String row(Ratio ratio) {
        Spread spread = result.ratio(ratio);
        boolean violated = !result.violations(ratio.numerator()).isEmpty()
                || !result.violations(ratio.denominator()).isEmpty();
        String target = ratio.target() == 0 ? "" : format("≥ %.2f %s", ratio.target(), verdict(ratio, spread));
        return format(
                "%-44s %7.2f %7.2f %7.2f %11.2f   %s",
                ratio.name(),
                spread.median(),
                spread.min(),
                spread.max(),
                result.ratioPerEffect(ratio).median(),
                violated ? "VIOLATED" : target);
    }

    private static String row(Figure figure) {
        String target = figure.hasTarget()
                ? format(
                        "   %s %,.0f %s",
                        figure.atMost() ? "≤" : "≥", figure.target(), figure.missesItsTarget() ? "MISSED" : "reached")
                : "";
        return format("%-64s %,12.1f %s%s", figure.name(), figure.value(), figure.unit(), target);
    }

    private static String verdict(Ratio ratio, Spread spread) {
        return spread.median() >= ratio.target() ? "reached" : "MISSED";
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(format(format, values).stripTrailing()).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
