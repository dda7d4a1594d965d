/** When a failed message is tried again, and when it is given up on. */
@NullMarked
package io.pigeonhole.core.retry;

import org.jspecify.annotations.NullMarked;
