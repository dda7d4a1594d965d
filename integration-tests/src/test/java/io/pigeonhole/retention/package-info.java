/** What the store forgets, and when: killed in between, under load, and through weeks of a clock of its own. */
@NullMarked
package io.pigeonhole.retention;

import org.jspecify.annotations.NullMarked;
