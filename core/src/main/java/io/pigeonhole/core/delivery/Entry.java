package io.pigeonhole.core.delivery;

import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import org.jspecify.annotations.Nullable;

/** A message that waits for a delivery thread, or is in its work. Compared by identity: two deliveries of one message are two entries. Open for tests. */
class Entry {
    private static final int MOST_REPORTS = 5;

    private final DeliveryGroup group;
    private final Message message;
    private final Settlement settlement;
    private final boolean inSequence;
    /** Where it waits and between whom, for {@link EntryQueue} only. */
    @Nullable
    EntryQueue queue;

    @Nullable
    Entry before;

    @Nullable
    Entry after;

    private boolean gone;
    private boolean reported;
    private int reportedInVain;

    Entry(DeliveryGroup group, Message message, Settlement settlement, boolean inSequence) {
        this.group = group;
        this.message = message;
        this.settlement = settlement;
        this.inSequence = inSequence;
    }

    DeliveryGroup group() {
        return group;
    }

    Message message() {
        return message;
    }

    Settlement settlement() {
        return settlement;
    }

    /** Equal for messages that must not overtake each other; without an ordering key or a sequence the entry is alone. */
    Object order() {
        if (inSequence) {
            return group;
        }
        OrderingKey key = OrderingKey.of(message);
        return key == null ? this : key;
    }

    /** Whether nobody was informed of its settlement yet. Used by the delivery thread. */
    boolean isToBeReported() {
        return !reported;
    }

    void reported() {
        reported = true;
    }

    /** Notes that the report failed for lack of memory; true while it is to be tried again. */
    boolean isToBeReportedAgain() {
        reportedInVain++;
        return reportedInVain < MOST_REPORTS;
    }

    /** True the first time only: a withdrawn entry may also come to its end in the inbox. Guarded by the thread's lock. */
    boolean leave() {
        boolean first = !gone;
        gone = true;
        return first;
    }

    /** Roughly what the message takes, in bytes. */
    long size() {
        byte[] key = message.orderingKey();
        long size = message.payload().length + (key == null ? 0L : key.length);
        for (Header header : message.headers()) {
            byte[] value = header.value();
            size += header.name().length() + (value == null ? 0L : value.length);
        }
        return size;
    }
}
