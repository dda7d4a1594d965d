package io.pigeonhole.core.relay;

import io.pigeonhole.core.store.InboxTransaction;

/** What is to be written about a batch that was published. */
interface Writes {
    /** Answers how many messages are brought further by it; with none there is nothing to commit. */
    int write(InboxTransaction<?> transaction);

    /** It is committed. */
    void committed();
}
