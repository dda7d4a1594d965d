@NullMarked
package io.pigeonhole.examples.chain;

import org.jspecify.annotations.NullMarked;
