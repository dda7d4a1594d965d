package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about dead letters on PostgreSQL, which stand in {@code postgresql-dead-letters.sql}. */
public enum PostgresDeadLetterStatement implements StatementName {
    /** Adds a message that is not in work, with its last attempt where there was one. */
    ADD,
    /** Moves a message from work to the dead letters, its bytes as they are, with its last attempt where there was one. */
    MOVE_FROM_WORK,
    /** Counts messages that came again after they had died; answers their keys. */
    SEEN_AGAIN,
    /** Moves letters whose messages came again back to work; answers their keys. */
    REOPEN,
    /** Moves letters that are locked to their places in the order of arrival; answers their ids. */
    REQUEUE,
    /** Moves a message in work to the dead letters because a person skips it. */
    SKIP;

    @Override
    public String file() {
        return "postgresql-dead-letters";
    }
}
