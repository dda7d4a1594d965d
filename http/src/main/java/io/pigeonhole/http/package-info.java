/** Idempotency keys for servlets: a filter that handles each request once, and gives its response again. */
@NullMarked
package io.pigeonhole.http;

import org.jspecify.annotations.NullMarked;
