/** Contracts and stand-ins with which stores, brokers and applications are tested. */
@NullMarked
package io.pigeonhole.testkit;

import org.jspecify.annotations.NullMarked;
