package io.pigeonhole.jdbc;

/** The statements about how much there is; what each does is said in {@code sizes.sql}. */
enum SizeStatement implements StatementName {
    TABLES,
    TASKS,
    LONGEST_WINDOW;

    @Override
    public String file() {
        return "sizes";
    }
}
