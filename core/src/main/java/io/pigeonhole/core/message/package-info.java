/** What a broker delivered: the message, its id, its headers, and the 16-byte key that the ledger knows it by. */
@NullMarked
package io.pigeonhole.core.message;

import org.jspecify.annotations.NullMarked;
