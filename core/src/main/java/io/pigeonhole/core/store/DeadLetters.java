package io.pigeonhole.core.store;

import java.util.List;

/** The messages that were given up on. */
public interface DeadLetters {
    /**
     * Buries messages. One that is there already stays as it is.
     *
     * @param consumer whose messages
     * @param letters the messages, maybe none
     */
    void bury(RegisteredConsumer consumer, List<DeadLetter> letters);
}
