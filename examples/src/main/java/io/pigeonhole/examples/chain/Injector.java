package io.pigeonhole.examples.chain;

/** Looks at the messages of one broker, and sends some of them again, as a producer does that did not get its confirmation. */
interface Injector extends AutoCloseable {
    Duplicates duplicates();

    /** Whether messages about so many orders were seen, as far as this can be told. */
    default boolean hasSeen(int orders) {
        return duplicates().seenOrders() >= orders;
    }

    /** Sends what was left for later, and waits until the broker has it. To be called when nothing else comes any more. */
    void finish() throws Exception;

    @Override
    void close();
}
