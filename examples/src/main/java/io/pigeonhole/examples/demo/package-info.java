/**
 * The demonstration: payments from Kafka change balances in PostgreSQL while duplicates are injected and the consuming
 * process is killed again and again. {@link io.pigeonhole.examples.demo.Demo} is the narrator; it runs the servers and the
 * producers, and {@link io.pigeonhole.examples.demo.InboxConsumer} or, to see the difference,
 * {@link io.pigeonhole.examples.demo.PlainConsumer} in a JVM of its own.
 */
@NullMarked
package io.pigeonhole.examples.demo;

import org.jspecify.annotations.NullMarked;
