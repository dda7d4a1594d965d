/** Pigeonhole measured beside other libraries that recognise duplicates, each in its simplest correct use. */
@NullMarked
package io.pigeonhole.peers;

import org.jspecify.annotations.NullMarked;
