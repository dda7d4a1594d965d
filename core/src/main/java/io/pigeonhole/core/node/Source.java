package io.pigeonhole.core.node;

import io.pigeonhole.core.inbox.Inbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings messages from a broker to an inbox, and acknowledges them once they are settled. Implemented by adapters. Safe for
 * use by many threads.
 */
public interface Source extends AutoCloseable {
    /**
     * What the source is called in logs and health reports.
     *
     * @return the name
     */
    String name();

    /**
     * The inbox that it brings them to. The node works for it, too: on its retries, its leases and what it has stored.
     *
     * @return the inbox, the same at every call
     */
    Inbox<?> inbox();

    /**
     * Begins to take messages, on threads of its own. Does not wait for the broker. Called once.
     *
     * @throws io.pigeonhole.core.failure.ConfigurationException if the settings cannot work
     */
    void start();

    /**
     * What the source is doing now.
     *
     * @return its state
     */
    SourceState state();

    /**
     * Why the source gave up by itself, or gave up one of its queues, or why messages wait for threads that hang in handlers: nothing but
     * a person and a new start can mend that.
     *
     * @return the reason, or null; never null where the state is {@link SourceState#FAILED}
     */
    @Nullable
    Throwable failure();

    /**
     * What keeps the source from taking messages now, for people and health reports: one sentence for each queue that it does
     * not consume, with the reason; and that the consumer is paused, or how the database failed last, where it waits for that. Does not
     * ask the broker.
     *
     * @return the problems, unmodifiable; empty where there are none, and unless the adapter overrides it
     */
    default List<String> problems() {
        return List.of();
    }

    /**
     * For how long the broker may deliver a message again: asked by the node's window guard, at the start and every day. May
     * ask the broker, and wait for it for a few seconds.
     *
     * @return the redelivery window; unknown unless the adapter overrides it
     */
    default RedeliveryWindow redeliveryWindow() {
        return RedeliveryWindow.unknown("its adapter does not report it");
    }

    /**
     * Stops gracefully and within a bounded time: no new message is begun, those in work are waited for, what is settled is
     * acknowledged, the rest is left to be delivered again. May be called more than once, and before {@link #start}.
     */
    @Override
    void close();
}
