@NullMarked
package io.pigeonhole.architecture.violations.core.time;

import org.jspecify.annotations.NullMarked;
