@NullMarked
package io.pigeonhole.architecture.violations.http.arrow;

import org.jspecify.annotations.NullMarked;
