/** The rules of the architecture, and the proof that each of them bites. */
@NullMarked
package io.pigeonhole.architecture;

import org.jspecify.annotations.NullMarked;
