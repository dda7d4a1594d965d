@NullMarked
package io.pigeonhole.architecture.violations.testkit.arrow;

import org.jspecify.annotations.NullMarked;
