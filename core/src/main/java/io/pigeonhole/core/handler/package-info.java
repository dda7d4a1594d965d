/** What an application writes: handlers, and the decoders that turn payload bytes into their arguments. */
@NullMarked
package io.pigeonhole.core.handler;

import org.jspecify.annotations.NullMarked;
