@NullMarked
package io.pigeonhole.architecture.violations.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
