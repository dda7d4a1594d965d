package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the tests of logs begin with: a log of two partitions. The payload of a message is its partition and offset. */
abstract class LogLab<C extends HandlerContext> extends InboxLab<C> {
    static final String LOG = "log:0f1e2d3c";
    static final LogPartition FIRST = new LogPartition("notes", 0);
    static final LogPartition SECOND = new LogPartition("notes", 1);

    /** How the inboxes of a test deduplicate. */
    Deduplication by = Deduplication.WATERMARKS;

    LogLab(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Override
    InboxBuilder<C> builder() {
        return super.builder().deduplication(by);
    }

    /** Acquires a partition, and begins at 0 where nobody has begun. */
    Watermark own(Inbox<C> inbox, LogPartition partition) {
        Watermark watermark = inbox.forSources().acquire(partition, LOG);
        return watermark.hasPosition() ? watermark : inbox.forSources().beginAt(watermark, 0);
    }

    long positionOf(Inbox<C> inbox, LogPartition partition) {
        return inbox.forSources().acquire(partition, LOG).position();
    }

    static Message at(Watermark owner, long offset) {
        return at(owner, offset, null, null);
    }

    static Message at(Watermark owner, long offset, @Nullable String id, @Nullable String key) {
        return after(Math.min(offset, Math.max(0, owner.position())), owner, offset, id, key);
    }

    /** A message whose reader expects the watermark at a position. */
    static Message after(long expected, Watermark owner, long offset, @Nullable String id, @Nullable String key) {
        LogPartition partition = owner.partition();
        Message.Builder message = Message.builder(partition.source())
                .type(TYPE)
                .payload(partition.partition() + "@" + offset)
                .logPosition(
                        new LogPosition(owner.log(), partition.partition(), offset, 3, owner.assignment(), expected));
        if (id != null) {
            message.id(id);
        }
        if (key != null) {
            message.orderingKey(key);
        }
        return message.build();
    }

    /** The messages from an offset, included, to another, excluded, of a reader that has read those before them. */
    static List<Message> range(Watermark owner, long from, long to) {
        List<Message> messages = new ArrayList<>();
        for (long offset = from; offset < to; offset++) {
            messages.add(after(offset, owner, offset, null, null));
        }
        return messages;
    }
}
