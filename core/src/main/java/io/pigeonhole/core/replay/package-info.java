/** Runs over the history: what a consumer has finished goes once more through a handler, exactly once in each named run. */
@NullMarked
package io.pigeonhole.core.replay;

import org.jspecify.annotations.NullMarked;
