/** What a store does besides messages in hand: consumers, starts, watermarks, leases, and what is due. */
@NullMarked
package io.pigeonhole.jdbc.store;

import org.jspecify.annotations.NullMarked;
