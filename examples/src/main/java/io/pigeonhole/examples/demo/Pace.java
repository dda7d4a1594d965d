package io.pigeonhole.examples.demo;

/**
 * Keeps the producer only a little ahead of the consumer, so that every kill falls into the middle of the work. Safe for
 * use by many threads.
 */
public final class Pace {
    private long limit;

    /** Allows nothing yet. */
    public Pace() {}

    /**
     * Lets the producer go on. Never takes back what it allowed.
     *
     * @param upTo how many, counted from the start
     */
    public synchronized void allow(long upTo) {
        if (upTo > limit) {
            limit = upTo;
            notifyAll();
        }
    }

    /**
     * Waits until the producer may send the next one.
     *
     * @param next its number, counted from the start
     * @throws InterruptedException if somebody interrupts the thread
     */
    public synchronized void await(long next) throws InterruptedException {
        while (next > limit) {
            wait();
        }
    }
}
