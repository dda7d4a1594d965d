package io.pigeonhole.core.store;

/**
 * What one call of {@link Retention#retire} did.
 *
 * @param days how many days of ledger or history were dropped, as a whole
 * @param rows how many rows were deleted one by one
 * @param more whether to call again now
 */
public record Retired(int days, long rows, boolean more) {
    /** Nothing was done, and nothing is to be done now. */
    public static final Retired NOTHING = new Retired(0, 0, false);
}
