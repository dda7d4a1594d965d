/** The node: the one object that owns everything that runs in the background, and the SPI of the sources it runs. */
@NullMarked
package io.pigeonhole.core.node;

import org.jspecify.annotations.NullMarked;
