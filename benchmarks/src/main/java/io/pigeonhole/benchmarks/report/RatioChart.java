package io.pigeonhole.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The ratios of a result as horizontal bars in SVG: the median as a bar, the smallest and the largest as a line over it, the
 * target as a dashed mark. Ratios from 2 on have a panel with a scale of its own, since beside them the others would all look
 * alike. The chart has a background of its own, so that it can be read wherever it is shown; it is dark where the reader
 * prefers that.
 */
final class RatioChart {
    private static final double LARGE = 2;
    private static final double TOLERANCE = 1e-9;
    private static final double CHARACTER = 7.3;
    private static final int MARGIN = 16;
    private static final int GAP = 12;
    private static final int PLOT = 320;
    private static final int ROW = 26;
    private static final int BAR = 14;
    private static final int CAP = 4;
    private static final int AXIS = 34;
    private static final int HEAD = 44;
    private static final int FOOT = 28;
    private static final int BASELINE = 4;

    private static final String STYLE = """
            <style>
            text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328 }
            .title { font-weight: bold }
            .dim { fill: #59636e }
            .end { text-anchor: end }
            .middle { text-anchor: middle }
            .background { fill: #ffffff }
            .grid { stroke: #d1d9e0 }
            .one { stroke: #818b98 }
            .reached { fill: #6cb2eb }
            .missed { fill: #f0a35e }
            .spread { stroke: #1f2328; stroke-width: 1.5 }
            .target { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 4 2 }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc }
            .dim { fill: #9198a1 }
            .background { fill: #0d1117 }
            .grid { stroke: #30363d }
            .one { stroke: #656c76 }
            .reached { fill: #2f6fb3 }
            .missed { fill: #a8591f }
            .spread { stroke: #f0f6fc }
            .target { stroke: #ff7b72 }
            }
            </style>
            """;

    private final SavedResult result;
    private final double left;
    private final double width;
    private final StringBuilder body = new StringBuilder();
    private double y = HEAD;

    /** The chart of a result with at least one ratio. */
    RatioChart(SavedResult result) {
        this.result = result;
        this.left = MARGIN + GAP + CHARACTER * longest(result.ratios(), SavedRatio::name);
        this.width = left + PLOT + GAP + CHARACTER * longest(result.ratios(), this::figures) + MARGIN;
    }

    /** The SVG, with a line break at its end. */
    String svg() {
        panel(ratio -> ratio.spread().median() < LARGE);
        panel(ratio -> ratio.spread().median() >= LARGE);
        text(
                MARGIN,
                y + FOOT - GAP,
                "dim",
                "bar: median; line: smallest and largest of the rounds; dashed mark: target");
        double height = y + FOOT;
        String title = result.suite() + ": ratios of messages per second";
        return format(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
                                + " viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
                        width, height, width, height)
                + "<title>" + escaped(title) + "</title>\n"
                + STYLE
                + "<rect class=\"background\" width=\"100%\" height=\"100%\"/>\n"
                + format("<text class=\"title\" x=\"%d\" y=\"24\">%s</text>\n", MARGIN, escaped(title))
                + body
                + "</svg>\n";
    }

    private void panel(Predicate<SavedRatio> which) {
        List<SavedRatio> rows = result.ratios().stream().filter(which).toList();
        if (rows.isEmpty()) {
            return;
        }
        Scale scale = Scale.upTo(rows.stream()
                .mapToDouble(ratio -> Math.max(ratio.spread().max(), ratio.target()))
                .max()
                .orElseThrow());
        double bottom = y + rows.size() * ROW;
        for (int tick = 0; tick <= scale.steps(); tick++) {
            double value = tick * scale.step();
            double x = left + scale.of(value) * PLOT;
            line(Math.abs(value - 1) < TOLERANCE ? "one" : "grid", x, y, x, bottom);
            text(x, bottom + GAP + BASELINE, "dim middle", scale.label(value));
        }
        for (SavedRatio ratio : rows) {
            row(ratio, scale);
            y += ROW;
        }
        y += AXIS;
    }

    private void row(SavedRatio ratio, Scale scale) {
        double middle = y + ROW / 2.0;
        double from = left + scale.of(ratio.spread().min()) * PLOT;
        double to = left + scale.of(ratio.spread().max()) * PLOT;
        text(left - GAP, middle + BASELINE, "end", ratio.name());
        body.append(format(
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
                ratio.missesItsTarget() ? "missed" : "reached",
                left,
                middle - BAR / 2.0,
                scale.of(ratio.spread().median()) * PLOT,
                BAR));
        line("spread", from, middle, to, middle);
        line("spread", from, middle - CAP, from, middle + CAP);
        line("spread", to, middle - CAP, to, middle + CAP);
        if (ratio.hasTarget()) {
            double x = left + scale.of(ratio.target()) * PLOT;
            line("target", x, y + 1, x, y + ROW - 1);
        }
        text(left + PLOT + GAP, middle + BASELINE, "", figures(ratio));
    }

    private String figures(SavedRatio ratio) {
        String target = ratio.hasTarget()
                ? ", target " + ResultSection.number(ratio.target()) + (ratio.missesItsTarget() ? " missed" : "")
                : "";
        return ResultSection.number(ratio.spread().median()) + " ("
                + ResultSection.number(ratio.spread().min()) + " to "
                + ResultSection.number(ratio.spread().max()) + ")"
                + (result.isWrong(ratio) ? ", wrong effects" : target);
    }

    private static int longest(List<SavedRatio> ratios, Function<SavedRatio, String> text) {
        return ratios.stream()
                .mapToInt(ratio -> text.apply(ratio).length())
                .max()
                .orElseThrow();
    }

    private void line(String kind, double fromX, double fromY, double toX, double toY) {
        body.append(format(
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                kind, fromX, fromY, toX, toY));
    }

    private void text(double x, double at, String kind, String text) {
        String as = kind.isEmpty() ? "" : format(" class=\"%s\"", kind);
        body.append(format("<text%s x=\"%.1f\" y=\"%.1f\">%s</text>\n", as, x, at, escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
