/** The store in memory under the contracts. */
@NullMarked
package io.pigeonhole.memory;

import org.jspecify.annotations.NullMarked;
