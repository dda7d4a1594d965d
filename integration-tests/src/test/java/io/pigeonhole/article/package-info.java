/** The tests that an article about the pattern asks for. */
@NullMarked
package io.pigeonhole.article;

import org.jspecify.annotations.NullMarked;
