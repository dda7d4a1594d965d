/** Debezium reads the outbox in place of a relay: what {@code docs/outbox-debezium.md} says. */
@NullMarked
package io.pigeonhole.debezium;

import org.jspecify.annotations.NullMarked;
