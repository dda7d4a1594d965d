package io.pigeonhole.benchmarks.suite;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One round: every variant once.
 *
 * @param measurements by the variant's name, in the suite's order
 */
public record Round(Map<String, Measurement> measurements) {
    /** Copies the map and keeps its order. */
    public Round {
        measurements = Collections.unmodifiableMap(new LinkedHashMap<>(measurements));
    }

    /** What this variant did. */
    public Measurement of(String variant) {
        Measurement measurement = measurements.get(variant);
        if (measurement == null) {
            throw new IllegalArgumentException("the round has no " + variant);
        }
        return measurement;
    }
}
