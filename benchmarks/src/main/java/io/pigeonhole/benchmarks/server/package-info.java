/** The database server that is measured against. */
@NullMarked
package io.pigeonhole.benchmarks.server;

import org.jspecify.annotations.NullMarked;
