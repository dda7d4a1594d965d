/**
 * The chain: three services, each with a process, a database, an inbox and an outbox of its own. Orders are placed over HTTP with
 * idempotency keys, paid over Kafka, shipped over RabbitMQ, and their shipment is noted over SQS, while everything is repeated and
 * killed. {@link io.pigeonhole.examples.chain.ChainDemo} is the coordinator; it runs the servers and the clients, and counts.
 */
@NullMarked
package io.pigeonhole.examples.chain;

import org.jspecify.annotations.NullMarked;
