/** What people do with messages: look at them, and decide about those that failed. Consoles and commands sit on it. */
@NullMarked
package io.pigeonhole.core.admin;

import org.jspecify.annotations.NullMarked;
