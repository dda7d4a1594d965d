@NullMarked
package io.pigeonhole.benchmarks.floor;

import org.jspecify.annotations.NullMarked;
