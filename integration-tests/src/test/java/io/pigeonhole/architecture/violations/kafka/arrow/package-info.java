@NullMarked
package io.pigeonhole.architecture.violations.kafka.arrow;

import org.jspecify.annotations.NullMarked;
