@NullMarked
package io.pigeonhole.peers.outbox;

import org.jspecify.annotations.NullMarked;
