@NullMarked
package io.pigeonhole.architecture.violations.rabbitmq.arrow;

import org.jspecify.annotations.NullMarked;
