package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about the schema that only PostgreSQL has; they stand in {@code postgresql-schema.sql}. */
public enum PostgresSchemaStatement implements StatementName {
    /** The database's name and encoding. */
    ENCODING,
    /** Whether the server gets parameters beside the text of a statement. */
    HAS_PARAMETERS,
    /** One program at a time, per schema, changes the schema or creates days. */
    LOCK,
    /** The schema in which the inbox is found, and the current one, both NULL where there is none. */
    INSTALLED_WHERE,
    /** Which of the names of relations are taken in the current schema. */
    TAKEN_NAMES,
    /** The schemas in which relations are found. */
    SCHEMAS,
    /** What the catalog says of relations, as pairs of subject and description. */
    CATALOG;

    @Override
    public String file() {
        return "postgresql-schema";
    }
}
