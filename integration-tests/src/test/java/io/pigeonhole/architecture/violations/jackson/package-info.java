@NullMarked
package io.pigeonhole.architecture.violations.jackson;

import org.jspecify.annotations.NullMarked;
