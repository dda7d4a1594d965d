/** Compares what was sent with what took effect. */
@NullMarked
package io.pigeonhole.testkit.effects;

import org.jspecify.annotations.NullMarked;
