/** What can go wrong, classified by what to do next. */
@NullMarked
package io.pigeonhole.core.failure;

import org.jspecify.annotations.NullMarked;
