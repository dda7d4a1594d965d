package io.pigeonhole.benchmarks.report;

import io.pigeonhole.benchmarks.suite.Spread;
import java.util.List;

/**
 * A variant as a result's file has it.
 *
 * @param name its name
 * @param messagesPerSecond its deliveries per second over the rounds
 * @param clientMicros the client's processor time for a delivery, in microseconds
 * @param serverMicros the server's
 * @param violations how it left wrong effects, none where it never did
 */
record SavedVariant(
        String name, Spread messagesPerSecond, double clientMicros, double serverMicros, List<String> violations) {
    boolean isWrong() {
        return !violations.isEmpty();
    }
}
