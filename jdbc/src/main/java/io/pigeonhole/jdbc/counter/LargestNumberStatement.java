package io.pigeonhole.jdbc.counter;

import io.pigeonhole.jdbc.sql.StatementName;

/**
 * The statements that ask for the largest numbers of rows, one for each {@link Counter}: the largest in its own table, and the
 * largest that other tables have or refer to.
 */
public enum LargestNumberStatement implements StatementName {
    /** Of work and the dead letters. */
    ARRIVAL,
    ATTEMPT,
    AUDIT,
    /** Of the messages to send. */
    OUTBOX,
    /** Of the history and its replays. */
    HISTORY,
    /** Of the consumers and what is theirs. */
    CONSUMER;

    @Override
    public String file() {
        return "largest-numbers";
    }
}
