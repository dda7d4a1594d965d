/**
 * The threads between the adapter of a broker and an inbox. Messages of one ordering key go to the same thread, so that they keep
 * their order; threads work in parallel. For adapters; applications do not meet it.
 */
@NullMarked
package io.pigeonhole.core.delivery;

import org.jspecify.annotations.NullMarked;
