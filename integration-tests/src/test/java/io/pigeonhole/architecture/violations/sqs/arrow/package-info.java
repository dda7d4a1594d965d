@NullMarked
package io.pigeonhole.architecture.violations.sqs.arrow;

import org.jspecify.annotations.NullMarked;
