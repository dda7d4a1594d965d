@NullMarked
package io.pigeonhole.architecture.violations.core.util;

import org.jspecify.annotations.NullMarked;
