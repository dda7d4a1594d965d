/** Keeps the counters of rows ahead of the numbers that rows have. */
@NullMarked
package io.pigeonhole.jdbc.counter;

import org.jspecify.annotations.NullMarked;
