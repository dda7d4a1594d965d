/** PostgreSQL and Kafka started inside the JVM, for integration tests, benchmarks and examples. */
@NullMarked
package io.pigeonhole.embedded;

import org.jspecify.annotations.NullMarked;
