package io.pigeonhole.benchmarks.report;

import io.pigeonhole.benchmarks.suite.Figure;
import io.pigeonhole.benchmarks.suite.JsonReport;
import io.pigeonhole.benchmarks.suite.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@link JsonReport} wrote.
 *
 * @param suite the suite's name
 * @param environment what it ran on, as names and values
 * @param rounds how many rounds counted
 * @param variants the variants in the suite's order
 * @param ratios the ratios in the suite's order
 * @param figures what was measured besides, maybe nothing
 */
record SavedResult(
        String suite,
        Map<String, String> environment,
        int rounds,
        List<SavedVariant> variants,
        List<SavedRatio> ratios,
        List<Figure> figures) {

    /**
     * Reads a result.
     *
     * @throws IllegalArgumentException if this is not the JSON of a result with at least one round
     */
    static SavedResult parse(String json) {
        try {
            return of(JsonMapper.shared().readTree(json));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not the result of a suite: " + e.getOriginalMessage(), e);
        }
    }

    private static SavedResult of(JsonNode root) {
        Map<String, String> environment = new LinkedHashMap<>();
        root.path("environment").properties().forEach(entry -> environment.put(entry.getKey(), text(entry.getValue())));
        JsonNode rounds = root.required("rounds");
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException("not the result of a suite: it has no rounds");
        }
        List<SavedVariant> variants = new ArrayList<>();
        for (String name : rounds.get(0).propertyNames()) {
            double[] speeds = StreamSupport.stream(rounds.spliterator(), false)
                    .mapToDouble(round -> round.required(name).asDouble())
                    .toArray();
            JsonNode cpu = root.path("cpuMicrosPerMessage").path(name);
            variants.add(new SavedVariant(
                    name,
                    Spread.of(speeds),
                    cpu.path("client").asDouble(0),
                    cpu.path("server").asDouble(0),
                    texts(root.path("violations").path(name))));
        }
        List<SavedRatio> ratios = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.required("ratios").properties()) {
            ratios.add(ratio(
                    entry.getKey(),
                    entry.getValue(),
                    root.required("ratiosPerEffect").required(entry.getKey())));
        }
        List<Figure> figures = new ArrayList<>();
        root.path("figures").properties().forEach(entry -> figures.add(figure(entry.getKey(), entry.getValue())));
        return new SavedResult(text(root.required("suite")), environment, rounds.size(), variants, ratios, figures);
    }

    private static Figure figure(String name, JsonNode figure) {
        return new Figure(
                name,
                figure.required("value").asDouble(),
                text(figure.required("unit")),
                figure.path("atMost").asDouble(figure.path("atLeast").asDouble(0)),
                !figure.has("atLeast"));
    }

    private static SavedRatio ratio(String name, JsonNode ratio, JsonNode perEffect) {
        String[] variants = name.split("/", 2);
        if (variants.length < 2) {
            throw new IllegalArgumentException("not the result of a suite: " + name + " is no ratio");
        }
        Spread spread = new Spread(
                ratio.required("median").asDouble(),
                ratio.required("min").asDouble(),
                ratio.required("max").asDouble());
        return new SavedRatio(
                variants[0],
                variants[1],
                spread,
                perEffect.required("median").asDouble(),
                ratio.path("target").asDouble(0));
    }

    /** Whether one of the two variants left wrong effects, so that its speed says nothing. */
    boolean isWrong(SavedRatio ratio) {
        return variants.stream()
                .filter(SavedVariant::isWrong)
                .map(SavedVariant::name)
                .anyMatch(name -> name.equals(ratio.numerator()) || name.equals(ratio.denominator()));
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(SavedResult::text)
                .toList();
    }

    private static String text(JsonNode node) {
        return node.asString();
    }
}
