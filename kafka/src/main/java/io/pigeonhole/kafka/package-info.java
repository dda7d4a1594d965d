/** A source and a publisher for Apache Kafka. */
@NullMarked
package io.pigeonhole.kafka;

import org.jspecify.annotations.NullMarked;
