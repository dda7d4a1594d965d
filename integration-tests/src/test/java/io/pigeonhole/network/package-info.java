/** Networks that fail. */
@NullMarked
package io.pigeonhole.network;

import org.jspecify.annotations.NullMarked;
