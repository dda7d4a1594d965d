package io.pigeonhole.benchmarks.report;

import io.pigeonhole.benchmarks.suite.Figure;
import java.util.Locale;

/** A result as a section of a Markdown page: a chart, and tables of the ratios, of the variants and of what it ran on. */
final class ResultSection {
    private static final double ONE_DECIMAL_FROM = 10;

    private final SavedResult result;
    private final String file;

    /**
     * A section.
     *
     * @param file the path from the page to the result and to the chart, without their endings
     */
    ResultSection(SavedResult result, String file) {
        this.result = result;
        this.file = file;
    }

    /** The Markdown, with a line break at its end. */
    String markdown() {
        StringBuilder text = new StringBuilder();
        if (!result.ratios().isEmpty()) {
            line(text, "![Ratios of messages per second in the suite %s](%s.svg)", result.suite(), file);
            line(text, "");
            line(text, "| ratio | median | from | to | per effect | target |");
            line(text, "|---|---|---|---|---|---|");
            result.ratios().forEach(ratio -> line(text, "%s", row(ratio)));
            line(text, "");
        }
        line(text, "| variant | messages/s | from | to | client µs | server µs |");
        line(text, "|---|---|---|---|---|---|");
        result.variants().forEach(variant -> line(text, "%s", row(variant)));
        line(text, "");
        result.variants().forEach(variant -> addViolations(text, variant));
        addFigures(text);
        line(text, "| measured on | |");
        line(text, "|---|---|");
        result.environment().forEach((name, value) -> line(text, "| %s | %s |", cell(name), cell(value)));
        line(text, "| rounds | %d |", result.rounds());
        line(text, "");
        line(text, "Made by `./bench report` from [%s.json](%s.json).", file, file);
        return text.toString();
    }

    private String row(SavedRatio ratio) {
        return format(
                "| `%s` / `%s` | %s | %s | %s | %s |%s |",
                ratio.numerator(),
                ratio.denominator(),
                number(ratio.spread().median()),
                number(ratio.spread().min()),
                number(ratio.spread().max()),
                number(ratio.perEffect()),
                result.isWrong(ratio) ? " wrong effects" : target(ratio));
    }

    private static String target(SavedRatio ratio) {
        return ratio.hasTarget() ? " " + number(ratio.target()) + (ratio.missesItsTarget() ? ", missed" : "") : "";
    }

    private static String row(SavedVariant variant) {
        return format(
                "| `%s`%s | %,.0f | %,.0f | %,.0f | %.1f | %.1f |",
                variant.name(),
                variant.isWrong() ? ", wrong effects" : "",
                variant.messagesPerSecond().median(),
                variant.messagesPerSecond().min(),
                variant.messagesPerSecond().max(),
                variant.clientMicros(),
                variant.serverMicros());
    }

    private void addFigures(StringBuilder text) {
        if (result.figures().isEmpty()) {
            return;
        }
        line(text, "| besides | measured | target |");
        line(text, "|---|---|---|");
        result.figures().forEach(figure -> line(text, "%s", row(figure)));
        line(text, "");
    }

    private static String row(Figure figure) {
        String target = format(
                " %s %,.0f%s",
                figure.atMost() ? "at most" : "at least", figure.target(), figure.missesItsTarget() ? ", missed" : "");
        return format(
                "| %s | %s |%s |",
                cell(figure.name()),
                format("%,.1f %s", figure.value(), figure.unit()).strip(),
                figure.hasTarget() ? target : "");
    }

    private static void addViolations(StringBuilder text, SavedVariant variant) {
        if (variant.isWrong()) {
            line(text, "`%s` left wrong effects:", variant.name());
            line(text, "");
            variant.violations().forEach(violation -> line(text, "- %s", violation));
            line(text, "");
        }
    }

    /** Text that does not end a cell of a table. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replaceAll("\\R", " ");
    }

    /** A ratio in reports. */
    static String number(double ratio) {
        return format(ratio < ONE_DECIMAL_FROM ? "%.2f" : "%.1f", ratio);
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(format(format, values).stripTrailing()).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
