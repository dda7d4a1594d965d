/** Makes pages of documentation from the results of suites. */
@NullMarked
package io.pigeonhole.benchmarks.report;

import org.jspecify.annotations.NullMarked;
