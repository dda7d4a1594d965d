/** What kinds of databases say differently: settings, limits, errors, and SQL that ends a transaction. */
@NullMarked
package io.pigeonhole.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
