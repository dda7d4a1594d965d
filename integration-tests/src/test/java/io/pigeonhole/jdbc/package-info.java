/** The JDBC store against real servers: the contract of the testkit, and what only a relational database can get wrong. */
@NullMarked
package io.pigeonhole.jdbc;

import org.jspecify.annotations.NullMarked;
