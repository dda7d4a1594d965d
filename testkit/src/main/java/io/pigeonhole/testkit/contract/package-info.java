/** What every store, and the inbox on it, must do: abstract JUnit classes that a store's tests inherit. */
@NullMarked
package io.pigeonhole.testkit.contract;

import org.jspecify.annotations.NullMarked;
