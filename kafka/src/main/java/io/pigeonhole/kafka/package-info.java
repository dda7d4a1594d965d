/** A source for Apache Kafka. */
@NullMarked
package io.pigeonhole.kafka;

import org.jspecify.annotations.NullMarked;
