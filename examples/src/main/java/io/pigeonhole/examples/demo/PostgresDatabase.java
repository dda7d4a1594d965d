package io.pigeonhole.examples.demo;

import io.pigeonhole.embedded.EmbeddedPostgres;
import java.nio.file.Path;

/** PostgreSQL with a database {@code bank}. */
record PostgresDatabase(EmbeddedPostgres server) implements Database {
    private static final String BANK = "bank";

    static PostgresDatabase start(Path directory) {
        EmbeddedPostgres server = EmbeddedPostgres.start(directory);
        server.createDatabase(BANK);
        return new PostgresDatabase(server);
    }

    @Override
    public String url() {
        return server.url(BANK);
    }

    @Override
    public String description() {
        return "PostgreSQL (fsync on)";
    }

    @Override
    public void close() {
        server.close();
    }
}
