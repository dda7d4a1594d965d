@NullMarked
package io.pigeonhole.architecture.violations.core.words;

import org.jspecify.annotations.NullMarked;
