package io.pigeonhole.core.lane;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What a lane needs of an inbox. */
interface BatchProcessor {
    /** As {@link Inbox#process(List)}. */
    List<Outcome> process(List<Message> messages);

    /** As {@link Inbox#process(List, BooleanSupplier)}. */
    default List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
        return process(messages);
    }

    /** As {@link Inbox#probe()}. */
    void probe();

    static BatchProcessor of(Inbox<?> inbox) {
        return new BatchProcessor() {
            @Override
            public List<Outcome> process(List<Message> messages) {
                return inbox.process(messages);
            }

            @Override
            public List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
                return inbox.process(messages, ending);
            }

            @Override
            public void probe() {
                inbox.probe();
            }
        };
    }
}
