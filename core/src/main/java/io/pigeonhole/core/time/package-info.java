/** The one place that reads the clock of this machine, how long a duration may be set to, and waiting. */
@NullMarked
package io.pigeonhole.core.time;

import org.jspecify.annotations.NullMarked;
