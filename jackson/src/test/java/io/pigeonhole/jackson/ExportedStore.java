package io.pigeonhole.jackson;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** A store in memory with messages in its history, on days that are over. */
final class ExportedStore {
    static final LocalDate DAY = LocalDate.of(2026, 11, 21);

    private final MovingClock clock = new MovingClock();
    final InMemoryStore store = InMemoryStore.create(clock);

    private static final class MovingClock extends Clock {
        private Instant now = DAY.atTime(12, 0).toInstant(ZoneOffset.UTC);

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    /** A store whose consumer finished so many messages on {@link #DAY}, which is over. */
    static ExportedStore with(String consumer, int messages) {
        ExportedStore exported = new ExportedStore();
        exported.finish(consumer, messages);
        exported.endDay();
        return exported;
    }

    void finish(String consumer, int messages) {
        for (int i = 1; i <= messages; i++) {
            finish(consumer, consumer + " " + clock.now + " " + i, consumer + " " + i);
        }
    }

    private void finish(String consumer, String id, String payload) {
        Inbox<InMemoryContext> inbox = Inbox.builder(consumer, store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("note", PayloadDecoder.text(), (ignored, context) -> {})
                .build();
        inbox.process(
                Message.builder("notes").id(id).type("note").payload(payload).build());
    }

    /** The first message of {@link #DAY}. */
    HistoryEntry entry() {
        return entries().get(0);
    }

    /** What the first consumer finished on {@link #DAY}. */
    List<HistoryEntry> entries() {
        HistoryDays days = store.historyDays();
        return days.read(days.consumers().get(0), DAY, 0, 100);
    }

    void endDay() {
        clock.now = clock.now.plus(Duration.ofDays(1));
    }
}
