package io.pigeonhole.jdbc.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The files of the tables, in a folder for each kind of database. Their names are those of repeatable migrations of Flyway, and
 * begin with a number, because Flyway runs them in the order of their names. Each statement in them can be repeated.
 */
public final class SchemaFiles {
    public static final int DAYS_AHEAD = 8;

    /** A changelog of Liquibase that runs all of them. */
    public static final String CHANGELOG = "io/pigeonhole/schema/liquibase.xml";

    /** Version n is the n-th. */
    public static final List<String> ALL =
            List.of("R__pigeonhole_001_inbox.sql", "R__pigeonhole_002_outbox.sql", "R__pigeonhole_003_idempotency.sql");

    private SchemaFiles() {}

    /** The text of a file in a folder. */
    public static String read(String location, String name) {
        try (InputStream in = SchemaFiles.class.getClassLoader().getResourceAsStream(location + name)) {
            if (in == null) {
                throw new IllegalStateException(location + name + " is not on the class path: is the jar complete?");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(location + name + " cannot be read", e);
        }
    }
}
