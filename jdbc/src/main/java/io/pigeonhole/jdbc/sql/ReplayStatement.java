package io.pigeonhole.jdbc.sql;

/** The statements about runs over the history, and its days; what each does is said in {@code replay.sql}. */
public enum ReplayStatement implements StatementName {
    NEWEST,
    CREATE,
    FIND,
    ALL,
    LOCK,
    SIZES,
    READ,
    COUNT,
    SETTLE,
    MOVE,
    CHANGE,
    SKIP,
    SKIPPED,
    CONSUMERS,
    SIZES_OF_DAY,
    DAY,
    EXPORTED,
    DROP_EXPORTED,
    IS_EXPORTED,
    LAST_EXPORTED,
    COUNT_OF_DAY,
    DELETED_CONSUMERS,
    STORE_ID,
    EXPORT_MARK,
    ADD_EXPORT_MARK,
    DROP_EXPORT_MARK,
    IS_NEEDED,
    OLD,
    FORGET,
    FORGET_SKIPPED,
    OLD_EXPORTS,
    HAS_MESSAGES,
    FORGET_EXPORT_MARKS,
    TAKE_HISTORY,
    RELEASE_HISTORY,
    HOLD_HISTORY,
    ADD_HISTORY;

    @Override
    public String file() {
        return "replay";
    }
}
