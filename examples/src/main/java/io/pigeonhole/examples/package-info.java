/** Small programs to read and to run. */
@NullMarked
package io.pigeonhole.examples;

import org.jspecify.annotations.NullMarked;
