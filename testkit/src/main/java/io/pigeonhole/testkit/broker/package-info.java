/** A broker in memory, for tests that need deliveries but no server. */
@NullMarked
package io.pigeonhole.testkit.broker;

import org.jspecify.annotations.NullMarked;
