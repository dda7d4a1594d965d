@NullMarked
package io.pigeonhole.architecture.violations.core.ring.right;

import org.jspecify.annotations.NullMarked;
