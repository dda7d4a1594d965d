@NullMarked
package io.pigeonhole.architecture.violations.jackson.arrow;

import org.jspecify.annotations.NullMarked;
