/** The inbox fed by RabbitMQ. */
@NullMarked
package io.pigeonhole.rabbitmq;

import org.jspecify.annotations.NullMarked;
