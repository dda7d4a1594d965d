@NullMarked
package io.pigeonhole.benchmarks.report;

import org.jspecify.annotations.NullMarked;
