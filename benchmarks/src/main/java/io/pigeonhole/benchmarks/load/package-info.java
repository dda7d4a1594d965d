/** What the workloads of several suites are made of. */
@NullMarked
package io.pigeonhole.benchmarks.load;

import org.jspecify.annotations.NullMarked;
