package io.pigeonhole.examples.demo;

/** Being written. */
public final class InboxConsumer {
    private InboxConsumer() {}

    /**
     * Being written.
     *
     * @param arguments see {@link ConsumerSettings}
     */
    public static void main(String[] arguments) {
        throw new UnsupportedOperationException("being written");
    }
}
