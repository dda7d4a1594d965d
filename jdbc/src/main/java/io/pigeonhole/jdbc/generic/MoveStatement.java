package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/** Statements of databases that do one thing in a statement; what each does is said in {@code move.sql}. */
public enum MoveStatement implements StatementName {
    REQUEUE,
    IN_WORK_AGAIN,
    SKIP,
    ADD_WORK_PARTITION,
    WORK_PARTITIONS;

    @Override
    public String file() {
        return "move";
    }
}
