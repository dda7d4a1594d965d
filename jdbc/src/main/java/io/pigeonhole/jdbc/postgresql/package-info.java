/** How PostgreSQL claims, locks, takes, parks, finishes and commits, and its partitions. */
@NullMarked
package io.pigeonhole.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
