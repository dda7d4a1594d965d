/** The worked examples of {@code docs/plug-ins.md}. */
@NullMarked
package io.pigeonhole.plugin;

import org.jspecify.annotations.NullMarked;
