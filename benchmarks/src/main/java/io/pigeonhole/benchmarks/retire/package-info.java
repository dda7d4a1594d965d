/** What it costs to forget: days that are dropped and keys that are deleted, while messages are accepted. */
@NullMarked
package io.pigeonhole.benchmarks.retire;

import org.jspecify.annotations.NullMarked;
