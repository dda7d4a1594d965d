package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.HistoryEntry;
import java.time.Instant;

/** A line of a consumer's history. */
record Finished(long place, short consumer, FinishedMessage message, Instant at) {
    /** The same at the place that it takes when it is committed. */
    Finished at(long committed) {
        return new Finished(committed, consumer, message, at);
    }

    /** As whoever reads the history gets it; headers and payload only where they are kept. */
    HistoryEntry entry() {
        Message full = message.message();
        Message kept = message.withPayload()
                ? full
                : Message.builder(full.source())
                        .id(full.id())
                        .type(full.type())
                        .orderingKey(full.orderingKey())
                        .contentType(full.contentType())
                        .payload((byte[]) null)
                        .origin(full.origin())
                        .build();
        return new HistoryEntry(place, message.key(), kept, message.withPayload(), message.attempts(), at);
    }
}
