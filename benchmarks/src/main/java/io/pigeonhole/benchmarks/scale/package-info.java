/** The suite "scale": what a full ledger costs. */
@NullMarked
package io.pigeonhole.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
