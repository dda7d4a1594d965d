package io.pigeonhole.jdbc;

import org.junit.jupiter.api.Tag;

/** Programs with different windows on H2. */
@Tag("full")
class H2SharedWindowIT extends SharedWindowTests {
    H2SharedWindowIT() {
        super(H2Server.FILES);
    }
}
