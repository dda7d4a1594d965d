package io.pigeonhole.examples.demo;

import java.util.function.Consumer;

/** The broker of one run, with one queue or topic. */
interface Broker extends AutoCloseable {
    /** What the consumer's process has to know to find it. */
    String address();

    /**
     * A producer.
     *
     * @param name distinguishes it from others
     * @param failed is called with what the broker refuses
     */
    PaymentSender sender(String name, Consumer<Exception> failed);

    /**
     * How many messages the consumer has not acknowledged, as far as the broker says: what it has delivered may be left out
     * while the consumer runs, but not after it has ended.
     */
    long unacknowledged() throws InterruptedException;

    @Override
    void close();
}
