/** Idempotency keys for servlets. */
module io.pigeonhole.http {
    requires transitive io.pigeonhole.core;
    requires transitive jakarta.servlet;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.pigeonhole.http;
}
