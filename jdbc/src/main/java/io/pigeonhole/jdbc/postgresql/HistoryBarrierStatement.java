package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/**
 * The statements that find out whether all transactions have ended that may have recorded something. Only PostgreSQL has
 * them; they stand in {@code history-barrier.sql}.
 */
public enum HistoryBarrierStatement implements StatementName {
    /** A number that is greater than that of every transaction which has written anything yet. */
    MARK,
    /** Whether all of them have ended, those of the server's other databases too. */
    IS_PAST,
    /** Whether those that have not ended are of other databases. */
    IS_PAST_HERE;

    @Override
    public String file() {
        return "history-barrier";
    }
}
