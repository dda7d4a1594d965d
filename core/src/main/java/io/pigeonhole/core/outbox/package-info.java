/** Messages to send: appended in a transaction, published after its commit by {@link io.pigeonhole.core.relay.Relay}. */
@NullMarked
package io.pigeonhole.core.outbox;

import org.jspecify.annotations.NullMarked;
