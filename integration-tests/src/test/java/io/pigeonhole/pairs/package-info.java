/** Brokers and databases together: what every pair must do. */
@NullMarked
package io.pigeonhole.pairs;

import org.jspecify.annotations.NullMarked;
