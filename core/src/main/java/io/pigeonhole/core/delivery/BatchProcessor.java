package io.pigeonhole.core.delivery;

import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.message.Message;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** What a delivery thread needs of an inbox. */
interface BatchProcessor {
    /** As {@link SourceInbox#process}, on a thread that nobody ends. */
    List<Outcome> process(List<Message> messages);

    /** As {@link SourceInbox#process}. */
    default List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
        return process(messages);
    }

    /** As {@link SourceInbox#probe}. */
    void probe();

    /** As {@link SourceInbox#whenHandlerHangs}. */
    default Runnable whenHandlerHangs(Predicate<Thread> listener) {
        return () -> {};
    }

    static BatchProcessor of(SourceInbox inbox) {
        return new BatchProcessor() {
            @Override
            public List<Outcome> process(List<Message> messages) {
                return inbox.process(messages, () -> false);
            }

            @Override
            public List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
                return inbox.process(messages, ending);
            }

            @Override
            public Runnable whenHandlerHangs(Predicate<Thread> listener) {
                return inbox.whenHandlerHangs(listener);
            }

            @Override
            public void probe() {
                inbox.probe();
            }
        };
    }
}
