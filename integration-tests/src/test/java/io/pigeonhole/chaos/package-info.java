/** Many processes that are killed, stopped and cut off at random moments, under load. */
@NullMarked
package io.pigeonhole.chaos;

import org.jspecify.annotations.NullMarked;
