@NullMarked
package io.pigeonhole.architecture.violations.jdbc.arrow;

import org.jspecify.annotations.NullMarked;
