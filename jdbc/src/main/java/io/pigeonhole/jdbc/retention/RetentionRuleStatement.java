package io.pigeonhole.jdbc.retention;

import io.pigeonhole.jdbc.sql.StatementName;

/**
 * The statements about from when ages count, and how long things are to be remembered; what each does is said in
 * {@code retention-rules.sql}.
 */
public enum RetentionRuleStatement implements StatementName {
    CLOCK,
    MOVE_CLOCK,
    CONFIRM_CLOCK,
    RESTART_TASKS,
    FREE_TASKS,
    PULL_BACK,
    PULL_BACK_AGES,
    COUNT_IN_FUTURE,
    REQUIRED,
    CONFIRM_REQUIRED,
    ADD_REQUIRED,
    DROP_REQUIRED;

    @Override
    public String file() {
        return "retention-rules";
    }
}
