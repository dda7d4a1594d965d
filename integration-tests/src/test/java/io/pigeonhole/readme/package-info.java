/** What the README shows, compiled and run. */
@NullMarked
package io.pigeonhole.readme;

import org.jspecify.annotations.NullMarked;
