/** The command line of the benchmarks. */
@NullMarked
package io.pigeonhole.benchmarks;

import org.jspecify.annotations.NullMarked;
