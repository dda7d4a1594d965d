/** Messages to send, from a transaction to a broker, while processes die and transactions stay open. */
@NullMarked
package io.pigeonhole.outbox;

import org.jspecify.annotations.NullMarked;
