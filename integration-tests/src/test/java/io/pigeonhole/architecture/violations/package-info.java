/** Wrong on purpose: each class breaks one rule, and {@code GatesBiteTest} demands that the rule notices. */
@NullMarked
package io.pigeonhole.architecture.violations;

import org.jspecify.annotations.NullMarked;
