package io.pigeonhole.jdbc;

/** Programs with different windows on Postgres. */
class PostgresSharedWindowIT extends SharedWindowTests {
    PostgresSharedWindowIT() {
        super(PostgresServers.embedded());
    }
}
