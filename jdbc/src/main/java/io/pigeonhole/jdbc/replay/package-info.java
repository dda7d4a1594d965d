/** Runs over the history. */
@NullMarked
package io.pigeonhole.jdbc.replay;

import org.jspecify.annotations.NullMarked;
