/** Tools that create the tables of the inbox beside a user's own migrations: the examples of {@code docs/tables.md}. */
@NullMarked
package io.pigeonhole.migration;

import org.jspecify.annotations.NullMarked;
