@NullMarked
package io.pigeonhole.benchmarks.retire;

import org.jspecify.annotations.NullMarked;
