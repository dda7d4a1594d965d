/** The one place that reads the clock of this machine. */
@NullMarked
package io.pigeonhole.core.time;

import org.jspecify.annotations.NullMarked;
