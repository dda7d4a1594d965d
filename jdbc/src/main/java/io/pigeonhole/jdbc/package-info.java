/** The inbox over plain JDBC: dialects, stores, schema and the transaction port. */
@NullMarked
package io.pigeonhole.jdbc;

import org.jspecify.annotations.NullMarked;
