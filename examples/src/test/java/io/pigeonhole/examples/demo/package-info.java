@NullMarked
package io.pigeonhole.examples.demo;

import org.jspecify.annotations.NullMarked;
