/** Publishes the messages of an outbox, in order per key: relays, and what an adapter for a broker implements. */
@NullMarked
package io.pigeonhole.core.relay;

import org.jspecify.annotations.NullMarked;
