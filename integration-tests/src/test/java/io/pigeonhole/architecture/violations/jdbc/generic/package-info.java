@NullMarked
package io.pigeonhole.architecture.violations.jdbc.generic;

import org.jspecify.annotations.NullMarked;
