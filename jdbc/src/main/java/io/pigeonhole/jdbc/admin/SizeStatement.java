package io.pigeonhole.jdbc.admin;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about how much there is; what each does is said in {@code sizes.sql}. */
public enum SizeStatement implements StatementName {
    TABLES,
    TASKS,
    LONGEST_WINDOW;

    @Override
    public String file() {
        return "sizes";
    }
}
