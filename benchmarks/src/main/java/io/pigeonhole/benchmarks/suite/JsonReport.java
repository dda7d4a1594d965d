package io.pigeonhole.benchmarks.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A result as JSON, in the form that every suite has:
 * {@code {"suite":…,"environment":{…},"rounds":[{variant: messages/s}…],"ratios":{"a/b":{"median":…,"min":…,"max":…,
 * "target":…}},"ratiosPerEffect":{…},"cpuMicrosPerMessage":{…},"violations":{variant: ["round 1: …"]}}}. A ratio that is
 * only to be known has no target, and a variant that did its work has no violations. What else was measured stands in
 * {@code "figures":{name:{"value":…,"unit":…,"atMost" or "atLeast":…}}}.
 */
public final class JsonReport {
    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final double ROUNDING = 100_000.0;

    private final SuiteResult result;

    /** The report of a result. */
    public JsonReport(SuiteResult result) {
        this.result = result;
    }

    /** Writes the file, and the directory that it is to be in. */
    public void write(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(file, text() + "\n");
    }

    /** The JSON. */
    public String text() {
        Suite suite = result.suite();
        ObjectNode root = MAPPER.createObjectNode().put("suite", suite.name());
        ObjectNode environment = root.putObject("environment");
        result.environment().forEach(environment::put);
        for (Round round : result.rounds()) {
            ObjectNode speeds = root.withArray("rounds").addObject();
            round.measurements()
                    .forEach((variant, measured) -> speeds.put(variant, Math.round(measured.messagesPerSecond())));
        }
        ObjectNode cpu = root.putObject("cpuMicrosPerMessage");
        for (Variant variant : suite.variants()) {
            cpu.putObject(variant.name())
                    .put("client", rounded(result.clientMicros(variant.name()).median()))
                    .put("server", rounded(result.serverMicros(variant.name()).median()));
        }
        ObjectNode ratios = root.putObject("ratios");
        ObjectNode perEffect = root.putObject("ratiosPerEffect");
        for (Ratio ratio : suite.ratios()) {
            ObjectNode node = ratios.putObject(ratio.name());
            put(node, result.ratio(ratio));
            if (ratio.target() > 0) {
                node.put("target", ratio.target());
            }
            put(perEffect.putObject(ratio.name()), result.ratioPerEffect(ratio));
        }
        ObjectNode violations = root.putObject("violations");
        for (Variant variant : suite.variants()) {
            List<String> ofVariant = result.violations(variant.name());
            if (!ofVariant.isEmpty()) {
                ofVariant.forEach(violations.putArray(variant.name())::add);
            }
        }
        ObjectNode figures = root.putObject("figures");
        for (Figure figure : result.figures()) {
            ObjectNode node = figures.putObject(figure.name())
                    .put("value", rounded(figure.value()))
                    .put("unit", figure.unit());
            if (figure.hasTarget()) {
                node.put(figure.atMost() ? "atMost" : "atLeast", figure.target());
            }
        }
        return MAPPER.writeValueAsString(root);
    }

    private static void put(ObjectNode node, Spread spread) {
        node.put("median", rounded(spread.median()))
                .put("min", rounded(spread.min()))
                .put("max", rounded(spread.max()));
    }

    private static double rounded(double value) {
        return Math.round(value * ROUNDING) / ROUNDING;
    }
}
