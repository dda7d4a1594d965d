/** Named places around the ports of an inbox where a test lets the process die, or anything else happen. */
@NullMarked
package io.pigeonhole.testkit.crash;

import org.jspecify.annotations.NullMarked;
