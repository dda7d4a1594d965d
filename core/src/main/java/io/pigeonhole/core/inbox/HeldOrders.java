package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The orders in which a message is busy, so that those behind it must not pass. Used by one thread, from the first message to the last. */
final class HeldOrders {
    static final String BEHIND_BUSY = "a message before it that it must not overtake is busy";

    private final RegisteredConsumer consumer;
    private final Set<Object> held = new HashSet<>();

    HeldOrders(RegisteredConsumer consumer) {
        this.consumer = consumer;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Messages of its order are behind it, and so is one with the same id and another payload, which must not take its place. */
    void hold(Envelope busy) {
        held.add(busy.key());
        MessageKey digestKey = IdsFarAhead.otherKeyOf(busy);
        if (digestKey != null) {
            held.add(digestKey);
        }
        holdOrderOf(busy);
    }

    /** Messages of its order are behind it. */
    void holdOrderOf(Envelope busy) {
        Object order = orderOf(busy);
        if (order != null) {
            held.add(order);
        }
    }

    boolean isBehind(Envelope envelope) {
        return held.contains(envelope.key()) || isBehindInOrder(envelope);
    }

    boolean isBehindInOrder(Envelope envelope) {
        Object order = orderOf(envelope);
        return order != null && held.contains(order);
    }

    /**
     * The order that a message belongs to: what it shares with those that must not overtake it while it is busy, and that it must
     * not overtake; null for one that belongs to none.
     *
     * <p>Without an order per key too, nothing passes a message of its key that somebody else is at, who may yet roll back. One that
     * was set aside is passed there like one that failed.
     */
    private @Nullable Object orderOf(Envelope envelope) {
        if (envelope.partition() != null) {
            return envelope.partition();
        }
        // The dead letter of an unusable message holds back those behind it, so that it must not overtake any either.
        boolean belongs = envelope.unusable() == null
                ? consumer.order().isKept() || !envelope.isSetAside()
                : consumer.order() == KeyOrder.BLOCK_ON_DEAD_LETTERS;
        return belongs ? OrderingKey.of(envelope.message()) : null;
    }
}
