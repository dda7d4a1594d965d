@NullMarked
package io.pigeonhole.architecture.violations.core.arrow;

import org.jspecify.annotations.NullMarked;
