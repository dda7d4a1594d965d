/** Payloads and archives as JSON. */
module io.pigeonhole.jackson {
    requires transitive io.pigeonhole.core;
    requires transitive tools.jackson.databind;
    requires com.fasterxml.jackson.annotation;
    requires java.sql; // Its classes of dates, which payloads may have.
    requires org.slf4j;
    requires tools.jackson.core;
    requires static transitive org.jspecify;

    exports io.pigeonhole.jackson;
}
