/**
 * Lanes: the unit of order and of parallelism. Messages of one ordering key share a lane, a lane is worked by one thread at a
 * time. For the adapters of brokers; applications do not meet it.
 */
@NullMarked
package io.pigeonhole.core.lane;

import org.jspecify.annotations.NullMarked;
