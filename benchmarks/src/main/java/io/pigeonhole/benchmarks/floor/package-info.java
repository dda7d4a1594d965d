/** The suite "floor": what exactly once costs, against the same work without an inbox and with a hand-written one. */
@NullMarked
package io.pigeonhole.benchmarks.floor;

import org.jspecify.annotations.NullMarked;
