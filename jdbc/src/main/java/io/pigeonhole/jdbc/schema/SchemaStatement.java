package io.pigeonhole.jdbc.schema;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about the schema. PostgreSQL has a catalog of its own, and needs only the last one. Names come in any case. */
public enum SchemaStatement implements StatementName {
    /** Name and type of tables and views of the current schema. */
    TABLES,

    /** Table, column, type, length or NULL, and {@code YES} where it may be NULL. */
    COLUMNS,

    /**
     * Table, type and name of a primary or unique key, also of a unique index that is no constraint, and a column of it, in
     * the order of the columns. More columns are ignored.
     */
    KEYS,

    /** Which version is installed. */
    INSTALLED_VERSION;

    @Override
    public String file() {
        return "schema";
    }
}
