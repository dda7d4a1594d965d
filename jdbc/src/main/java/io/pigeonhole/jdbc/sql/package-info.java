/** Statements in files and how they are bound, connections, short transactions, and what errors mean: what every other package here needs. */
@NullMarked
package io.pigeonhole.jdbc.sql;

import org.jspecify.annotations.NullMarked;
