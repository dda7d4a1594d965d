/** Pigeonhole's outbox measured beside others, each from a transaction to Kafka's confirmation. */
@NullMarked
package io.pigeonhole.peers.outbox;

import org.jspecify.annotations.NullMarked;
