package io.pigeonhole.jdbc;

import org.junit.jupiter.api.Tag;

/** Programs with different windows on MariaDb. */
@Tag("full")
class MariaDbSharedWindowIT extends SharedWindowTests {
    MariaDbSharedWindowIT() {
        super(MariaDbServers.embedded());
    }
}
