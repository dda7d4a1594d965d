/** What every suite of benchmarks shares: variants that take turns in rounds, paired ratios, the table and the JSON. */
@NullMarked
package io.pigeonhole.benchmarks.suite;

import org.jspecify.annotations.NullMarked;
