package io.pigeonhole.examples.demo;

import org.jspecify.annotations.Nullable;

/** Sends payments to a broker. For one thread. */
interface PaymentSender extends AutoCloseable {
    /** Hands a message over; whether the broker has it is known after {@link #flush}. */
    void send(String id, @Nullable String orderingKey, String payload);

    /** Waits until the broker has confirmed everything. */
    void flush() throws InterruptedException;

    @Override
    void close();
}
