@NullMarked
package io.pigeonhole.jdbc;

import org.jspecify.annotations.NullMarked;
