package io.pigeonhole.jdbc;

import org.junit.jupiter.api.Tag;

/** Programs with different windows on Postgres. */
@Tag("full")
class PostgresSharedWindowIT extends SharedWindowTests {
    PostgresSharedWindowIT() {
        super(PostgresServers.embedded());
    }
}
