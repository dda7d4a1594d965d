package io.pigeonhole.core.store;

import io.pigeonhole.core.handler.HandlerContext;

/**
 * A database as the inbox needs it: all its roles together. Safe for use by many threads.
 *
 * @param <C> the context that its handlers get
 */
public interface InboxStore<C extends HandlerContext>
        extends ConsumerRegistry,
                Transactions<C>,
                Backlog,
                AppendedBacklog,
                Starts,
                LogOwnership,
                Maintenance,
                Retention {
    /**
     * Reserves a connection for prolonging leases. It is opened at the first use.
     *
     * @return the heartbeat, to be closed by the caller
     */
    Heartbeat heartbeat();

    /**
     * The runs over the history.
     *
     * @return the role; it needs not be closed
     */
    ReplayStore replays();

    /**
     * The history by days.
     *
     * @return the role; it needs not be closed
     */
    HistoryDays historyDays();
}
