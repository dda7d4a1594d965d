/** A store in memory, for unit tests of handlers: it passes the contracts of the real stores and survives nothing. */
@NullMarked
package io.pigeonhole.testkit.memory;

import org.jspecify.annotations.NullMarked;
