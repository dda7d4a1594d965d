/** Processes that really die, and what their successors find. */
@NullMarked
package io.pigeonhole.crash;

import org.jspecify.annotations.NullMarked;
