package io.pigeonhole.jdbc;

import java.util.concurrent.atomic.AtomicInteger;

/** A running server with a database for these tests. */
public record PostgresServer(String name, String url) {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /** A new schema without tables, dropped when it is closed. */
    public Workshop emptySchema() {
        return new Workshop(url, "s" + SCHEMAS.incrementAndGet());
    }

    /** A new schema with the inbox and a table of effects, dropped when it is closed. */
    public Workshop schema() {
        Workshop workshop = emptySchema();
        Schema.apply(workshop.dataSource());
        workshop.execute("CREATE TABLE effect (text text, at timestamptz DEFAULT clock_timestamp())");
        return workshop;
    }

    @Override
    public String toString() {
        return "PostgreSQL " + name;
    }
}
