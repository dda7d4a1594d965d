/** Handlers that work with a library on their connection, each the example of {@code docs/libraries.md}. */
@NullMarked
package io.pigeonhole.libraries;

import org.jspecify.annotations.NullMarked;
