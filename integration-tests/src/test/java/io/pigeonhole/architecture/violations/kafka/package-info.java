@NullMarked
package io.pigeonhole.architecture.violations.kafka;

import org.jspecify.annotations.NullMarked;
