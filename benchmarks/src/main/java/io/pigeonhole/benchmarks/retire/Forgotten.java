package io.pigeonhole.benchmarks.retire;

import java.util.Locale;

/**
 * What it cost to forget something.
 *
 * @param rows how many keys were forgotten under load
 * @param nanos how long that took
 * @param walBytes what was written to the log for as many of them without load
 * @param before the load without it
 * @param during the load meanwhile
 */
record Forgotten(long rows, long nanos, long walBytes, Load.Report before, Load.Report during) {
    private static final double NANOS = 1e9;

    String describe(String what) {
        return String.format(
                Locale.ROOT,
                "%s: %.2f s under load (%.0f rows/s), %,d bytes of WAL without load (%.1f a row)%n"
                        + "  load before: %s%n  load during: %s",
                what,
                nanos / NANOS,
                rows * NANOS / nanos,
                walBytes,
                (double) walBytes / rows,
                before.describe(),
                during.describe());
    }
}
