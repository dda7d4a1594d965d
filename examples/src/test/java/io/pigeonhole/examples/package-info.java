@NullMarked
package io.pigeonhole.examples;

import org.jspecify.annotations.NullMarked;
