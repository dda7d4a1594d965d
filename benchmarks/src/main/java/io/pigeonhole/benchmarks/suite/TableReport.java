package io.pigeonhole.benchmarks.suite;

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
        result.environment().forEach((name, value) -> line(text, "%-12s %s", name, value));
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
        return text.toString();
    }

    private String row(String variant) {
        Spread speed = result.messagesPerSecond(variant);
        return format(
                "%-24s %,10.0f %,10.0f %,10.0f   %10.1f %10.1f",
                variant,
                speed.median(),
                speed.min(),
                speed.max(),
                result.clientMicros(variant).median(),
                result.serverMicros(variant).median());
    }

    private String row(Ratio ratio) {
        Spread spread = result.ratio(ratio);
        String target = ratio.target() == 0 ? "" : format("≥ %.2f %s", ratio.target(), verdict(ratio, spread));
        return format(
                "%-44s %7.2f %7.2f %7.2f %11.2f   %s",
                ratio.name(),
                spread.median(),
                spread.min(),
                spread.max(),
                result.ratioPerEffect(ratio).median(),
                target);
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
