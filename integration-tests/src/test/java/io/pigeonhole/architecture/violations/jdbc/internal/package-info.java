@NullMarked
package io.pigeonhole.architecture.violations.jdbc.internal;

import org.jspecify.annotations.NullMarked;
