package io.pigeonhole.examples.demo;

import io.pigeonhole.embedded.EmbeddedMariaDb;
import java.nio.file.Path;

/** MariaDB with a database {@code bank}. */
record MariaDbDatabase(EmbeddedMariaDb server) implements Database {
    private static final String BANK = "bank";

    static MariaDbDatabase start(Path directory) {
        EmbeddedMariaDb server = EmbeddedMariaDb.start(directory);
        server.createDatabase(BANK);
        return new MariaDbDatabase(server);
    }

    @Override
    public String url() {
        return server.url(BANK);
    }

    @Override
    public String description() {
        return "MariaDB (flushed at each commit)";
    }

    @Override
    public void close() {
        server.close();
    }
}
