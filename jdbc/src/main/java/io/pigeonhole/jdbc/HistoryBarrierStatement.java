package io.pigeonhole.jdbc;

/**
 * The statements that tell whether all transactions have ended that may have recorded something. Only PostgreSQL has them; they stand
 * in {@code history-barrier.sql}.
 */
enum HistoryBarrierStatement implements StatementName {
    /** A number that is greater than that of every transaction which has written anything yet. */
    MARK,
    /** Whether all of them have ended. */
    IS_PAST;

    @Override
    public String file() {
        return "history-barrier";
    }
}
