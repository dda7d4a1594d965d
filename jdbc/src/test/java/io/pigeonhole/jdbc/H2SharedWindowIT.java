package io.pigeonhole.jdbc;

/** Programs with different windows on H2. */
class H2SharedWindowIT extends SharedWindowTests {
    H2SharedWindowIT() {
        super(H2Server.FILES);
    }
}
