/** Retention: what is deleted, when, and in which steps. */
@NullMarked
package io.pigeonhole.jdbc.retention;

import org.jspecify.annotations.NullMarked;
