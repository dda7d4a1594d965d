/** The engine on real databases: what only a real one can do to it. */
@NullMarked
package io.pigeonhole.engine;

import org.jspecify.annotations.NullMarked;
