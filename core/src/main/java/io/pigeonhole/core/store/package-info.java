/** The store SPI: the roles that a database plays for the engine, one small interface for each. */
@NullMarked
package io.pigeonhole.core.store;

import org.jspecify.annotations.NullMarked;
