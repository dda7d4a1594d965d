/** What people look at and change. */
@NullMarked
package io.pigeonhole.jdbc.admin;

import org.jspecify.annotations.NullMarked;
