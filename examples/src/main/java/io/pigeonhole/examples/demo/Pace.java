package io.pigeonhole.examples.demo;

/**
 * Keeps the producer only a little ahead of the consumer, so that every kill falls into the middle of the work. Safe for
 * use by many threads.
 */
final class Pace {
    private long limit;

    /** Lets the producer go on up to this many, counted from the start. Never takes back what it allowed. */
    synchronized void allow(long upTo) {
        if (upTo > limit) {
            limit = upTo;
            notifyAll();
        }
    }

    /** Waits until the producer may send the next one. */
    synchronized void await(long next) throws InterruptedException {
        while (next > limit) {
            wait();
        }
    }
}
