/** What can go wrong, told apart by what to do next. */
@NullMarked
package io.pigeonhole.core.failure;

import org.jspecify.annotations.NullMarked;
