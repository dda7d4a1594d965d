package io.pigeonhole.core.message;

/** Whether messages of one ordering key take effect in the order of their arrival. Fixed when a consumer is registered. */
public enum KeyOrder {
    /** They need not: a message that failed is passed by those behind it. */
    NONE,
    /** They do. A message that waits for another attempt blocks its key; one that is given up on lets the key go on. */
    SKIP_DEAD_LETTERS,
    /** They do. A message that is given up on blocks its key too, until somebody requeues it, discards it or lets it go on. */
    BLOCK_ON_DEAD_LETTERS;

    /**
     * Whether there is an order at all.
     *
     * @return false for {@link #NONE}
     */
    public boolean isKept() {
        return this != NONE;
    }
}
