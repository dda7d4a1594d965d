@NullMarked
package io.pigeonhole.architecture.violations.core.foreign;

import org.jspecify.annotations.NullMarked;
