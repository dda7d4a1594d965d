package io.pigeonhole.benchmarks.floor;

/**
 * How many deliveries a variant works off in one round: more where it is faster, so that each takes about as long.
 *
 * @param perMessage with a transaction for each message
 * @param perBatch with a transaction for a hundred messages
 * @param deferred the same with deferred writes
 * @param rounds how many rounds are counted
 */
public record Sizes(int perMessage, int perBatch, int deferred, int rounds) {
    /** What figures are made with. */
    public static final Sizes FULL = new Sizes(20_000, 80_000, 200_000, 9);
    /** For a first look. */
    public static final Sizes QUICK = new Sizes(5_000, 20_000, 50_000, 5);

    /** The same for the report. */
    public String describe() {
        return perMessage + " per message, " + perBatch + " in batches, " + deferred + " with deferred writes";
    }
}
