/** Keeps what a consumer has finished beyond its history: a day is exported as a whole before it may go. */
@NullMarked
package io.pigeonhole.core.archive;

import org.jspecify.annotations.NullMarked;
