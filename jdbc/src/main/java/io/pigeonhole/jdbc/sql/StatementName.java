package io.pigeonhole.jdbc.sql;

/** The name of a statement; its texts stand in {@code .sql} files. */
public interface StatementName {
    /** In capitals with underscores; the file has it in small letters. */
    String name();

    /** The file, without its ending, in which each database has its text. */
    String file();
}
