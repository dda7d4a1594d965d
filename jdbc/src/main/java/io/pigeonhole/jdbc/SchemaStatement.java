package io.pigeonhole.jdbc;

/** The statements of {@link PlainStatement} about the schema. Names come in any case. */
public enum SchemaStatement implements PlainStatement {
    /** Name and type of tables and views of the current schema. */
    TABLES("SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = CURRENT_SCHEMA"),

    /** Table, column, type, length or NULL, and {@code YES} where it may be NULL. */
    COLUMNS("""
            SELECT table_name, column_name, data_type, character_maximum_length, is_nullable
            FROM information_schema.columns
            WHERE table_schema = CURRENT_SCHEMA"""),

    /**
     * Table, type and name of a primary or unique key, also of a unique index that is no constraint, and a column of it, in the
     * order of the columns. More columns are ignored.
     */
    KEYS("""
            SELECT k.table_name, c.constraint_type, k.constraint_name, k.column_name
            FROM information_schema.table_constraints AS c
            JOIN information_schema.key_column_usage AS k
                ON k.table_schema = c.table_schema AND k.table_name = c.table_name
                AND k.constraint_name = c.constraint_name
            WHERE c.table_schema = CURRENT_SCHEMA AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
            ORDER BY k.table_name, k.constraint_name, k.ordinal_position"""),

    /** Which version is installed. */
    INSTALLED_VERSION("SELECT COALESCE(MAX(version), 0) FROM inbox_schema");

    private final String standard;

    SchemaStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
