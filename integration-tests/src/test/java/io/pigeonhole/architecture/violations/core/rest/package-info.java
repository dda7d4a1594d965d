@NullMarked
package io.pigeonhole.architecture.violations.core.rest;

import org.jspecify.annotations.NullMarked;
