/** The rows of messages to send: how they are appended, and how a relay reads and deletes them. */
@NullMarked
package io.pigeonhole.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
