@NullMarked
package io.pigeonhole.architecture.violations.core.sql;

import org.jspecify.annotations.NullMarked;
