/** One transaction in which handlers run: the engine's operations over the rows of a database, the handlers' connection, and their deferred writes. */
@NullMarked
package io.pigeonhole.jdbc.transaction;

import org.jspecify.annotations.NullMarked;
