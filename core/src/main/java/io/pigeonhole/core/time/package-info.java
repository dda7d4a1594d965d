/** The one place that reads the clock of this machine, and how long a duration may be set to. */
@NullMarked
package io.pigeonhole.core.time;

import org.jspecify.annotations.NullMarked;
