package io.pigeonhole.jdbc.sql;

/** The statements about consumers, and who begins with what; what each does is said in {@code consumers.sql}. */
public enum ConsumerStatement implements StatementName {
    FIND,
    REGISTER,
    IS_PAUSED,
    START,
    START_AGAIN,
    STARTS,
    END,
    SURVIVE;

    @Override
    public String file() {
        return "consumers";
    }
}
