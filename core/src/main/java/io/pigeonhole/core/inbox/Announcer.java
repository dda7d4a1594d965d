package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners, and survives them. */
final class Announcer {
    private static final Logger log = LoggerFactory.getLogger(Announcer.class);

    private final String consumer;
    private final List<InboxListener> listeners;

    Announcer(String consumer, List<InboxListener> listeners) {
        this.consumer = consumer;
        this.listeners = listeners;
    }

    void outcome(Message message, Outcome outcome) {
        tell(listener -> listener.onOutcome(consumer, message, outcome));
    }

    void rollback(int messages, Throwable cause) {
        log.debug("consumer '{}': {} messages rolled back, to be tried again at once", consumer, messages, cause);
        tell(listener -> listener.onRollback(consumer, messages, cause));
    }

    private void tell(Consumer<InboxListener> what) {
        for (InboxListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (RuntimeException e) {
                log.warn("consumer '{}': listener {} failed; it changes nothing", consumer, listener, e);
            }
        }
    }
}
