package io.pigeonhole.jdbc.sql;

/** The statements by which people look at messages and change them; what each does is said in {@code admin.sql}. */
public enum AdminStatement implements StatementName {
    ALL_CONSUMERS,
    CONSUMER,
    SUMMARIES,
    WORK,
    DEAD_LETTERS,
    COUNT_LETTERS,
    PART,
    ONE_LETTER,
    SHOW_WORK,
    SHOW_LETTER,
    SHOW_HISTORY,
    SHOW_ACCEPTED,
    SHOW_ATTEMPTS,
    AUDIT,
    AUDIT_OF_MESSAGE,
    BLOCKED_KEYS,
    LOCK_WORK,
    LOCK_LETTER,
    LOCK_LETTERS,
    RETRY_NOW,
    RELEASE_LEASE,
    HEAD,
    STOP_BLOCKING,
    PAUSE,
    COUNT_WATERMARKS,
    DEDUPLICATE,
    TAKE_PARTITIONS_AWAY,
    RESET_WATERMARKS,
    FORGET_WATERMARKS,
    NOTE_CHANGE;

    @Override
    public String file() {
        return "admin";
    }
}
