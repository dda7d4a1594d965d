@NullMarked
package io.pigeonhole.architecture.violations.jdbc;

import org.jspecify.annotations.NullMarked;
