/** How databases do the same that go on after an error and do one thing in a statement: MariaDB, MySQL and H2. */
@NullMarked
package io.pigeonhole.jdbc.generic;

import org.jspecify.annotations.NullMarked;
