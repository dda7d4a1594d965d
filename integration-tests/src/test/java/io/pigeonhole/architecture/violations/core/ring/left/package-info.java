@NullMarked
package io.pigeonhole.architecture.violations.core.ring.left;

import org.jspecify.annotations.NullMarked;
