/**
 * Requests with idempotency keys: the key, the business change and the response are committed in one transaction, and the same
 * request is answered with the stored response. Knows no protocol; {@code pigeonhole-http} puts it behind servlets.
 */
@NullMarked
package io.pigeonhole.core.idempotency;

import org.jspecify.annotations.NullMarked;
