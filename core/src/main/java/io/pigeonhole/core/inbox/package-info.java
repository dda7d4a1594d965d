/** The inbox: its builder, its outcomes, its listeners and the engine behind them. */
@NullMarked
package io.pigeonhole.core.inbox;

import org.jspecify.annotations.NullMarked;
