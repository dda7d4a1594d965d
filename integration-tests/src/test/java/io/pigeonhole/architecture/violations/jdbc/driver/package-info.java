@NullMarked
package io.pigeonhole.architecture.violations.jdbc.driver;

import org.jspecify.annotations.NullMarked;
