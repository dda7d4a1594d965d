@NullMarked
package io.pigeonhole.benchmarks.suite;

import org.jspecify.annotations.NullMarked;
