@NullMarked
package io.pigeonhole.architecture.violations.core.clock;

import org.jspecify.annotations.NullMarked;
