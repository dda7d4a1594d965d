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

    void leaseLost(Message message) {
        log.warn(
                "consumer '{}': the lease of {} was lost, and what its handler wanted to write is refused: it took longer"
                        + " than its heartbeat could prolong, or somebody released it",
                consumer,
                message);
        tell(listener -> listener.onLeaseLost(consumer, message));
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
