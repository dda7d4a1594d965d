/** Requests with idempotency keys, in a table of their own, in the same transactions as the inbox. */
@NullMarked
package io.pigeonhole.jdbc.idempotency;

import org.jspecify.annotations.NullMarked;
