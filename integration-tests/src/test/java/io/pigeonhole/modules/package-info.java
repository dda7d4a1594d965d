/** What the published jars are to a program on the module path. */
@NullMarked
package io.pigeonhole.modules;

import org.jspecify.annotations.NullMarked;
