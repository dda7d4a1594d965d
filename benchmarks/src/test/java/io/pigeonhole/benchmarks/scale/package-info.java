@NullMarked
package io.pigeonhole.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
