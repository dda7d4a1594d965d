package io.pigeonhole.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A running server with a database for these tests. */
public record PostgresServer(String name, String url) {
    private static final Map<PostgresServer, Workshop> SHARED = new ConcurrentHashMap<>();
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /** A new schema without tables, dropped when it is closed. */
    public Workshop emptySchema() {
        return new Workshop(url, "s" + SCHEMAS.incrementAndGet());
    }

    /** A new schema with the inbox and a table of effects, dropped when it is closed. */
    public Workshop schema() {
        Workshop workshop = emptySchema();
        Schema.apply(workshop.dataSource());
        workshop.execute(
                "CREATE TABLE effect (place bigint GENERATED ALWAYS AS IDENTITY, text text, at timestamptz DEFAULT clock_timestamp())");
        return workshop;
    }

    /** A schema with the inbox that all tests of this JVM share; each works with consumers and rows of its own. */
    Workshop sharedSchema() {
        return SHARED.computeIfAbsent(this, PostgresServer::schema);
    }

    @Override
    public String toString() {
        return "PostgreSQL " + name;
    }
}
