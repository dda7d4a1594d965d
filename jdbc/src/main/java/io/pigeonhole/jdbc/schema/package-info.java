/** Checks and creates the tables. */
@NullMarked
package io.pigeonhole.jdbc.schema;

import org.jspecify.annotations.NullMarked;
