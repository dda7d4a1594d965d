@NullMarked
package io.pigeonhole.jackson;

import org.jspecify.annotations.NullMarked;
