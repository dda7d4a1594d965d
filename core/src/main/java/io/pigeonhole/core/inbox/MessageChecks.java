package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.RegisteredConsumer;
import org.jspecify.annotations.Nullable;

/** Checks messages: before they are claimed, and before they are decoded. Decides nothing itself. */
final class MessageChecks<C extends HandlerContext> {
    private final Routing<C> routing;
    private final int crashLimit;

    MessageChecks(Routing<C> routing, EngineSettings settings) {
        this.routing = routing;
        this.crashLimit = settings.crashLimit();
    }

    /** Why a delivery cannot even be claimed; null where it can. */
    static @Nullable Unusable unusableDelivery(Message message, RegisteredConsumer consumer) {
        MessageId id = message.id();
        if (id == null && !consumer.deduplication().needsLog()) {
            FieldNames names = message.fieldNames();
            String detail = "the message has no id, so that a duplicate of it could not be recognised"
                    + (names == null ? "" : "; the id was looked for in " + names.id());
            return new Unusable(DeadReason.NO_ID, detail);
        }
        if (id != null && id.length() > Envelope.LONGEST_ID) {
            String detail = "the message's id has " + id.length() + " bytes, the limit is " + Envelope.LONGEST_ID;
            return new Unusable(DeadReason.ID_TOO_LONG, detail);
        }
        String defect = message.defect();
        if (defect != null) {
            return new Unusable(DeadReason.UNDECODABLE, defect);
        }
        byte[] orderingKey = message.orderingKey();
        if (orderingKey != null
                && orderingKey.length > RegisteredConsumer.LONGEST_ORDERING_KEY
                && consumer.order().isKept()) {
            String detail = "the message's ordering key has " + orderingKey.length
                    + " bytes, the limit where an order is" + " kept is " + RegisteredConsumer.LONGEST_ORDERING_KEY;
            return new Unusable(DeadReason.ORDERING_KEY_TOO_LONG, detail);
        }
        return null;
    }

    /** Why an accepted message is not worth decoding; null where it is, and where its type is unknown and to be ignored. */
    @Nullable
    Unusable unusableAccepted(Message message, @Nullable Route<?, C> route) {
        int limit = routing.payloadLimitOf(route);
        if (message.payload().length > limit) {
            String detail = "the payload has " + message.payload().length + " bytes, the limit is " + limit;
            return new Unusable(DeadReason.TOO_LARGE, detail);
        }
        if (route == null && routing.unknownType() != UnknownType.IGNORE) {
            return new Unusable(DeadReason.UNKNOWN_TYPE, routing.describeUnknown(message));
        }
        return null;
    }

    /** Whether a message may only be worked on under a lease: its effect is elsewhere, or it may have killed a process. */
    boolean needsLease(Message message) {
        Route<?, C> route = routing.routeOf(message);
        return (route != null && route.isExternal()) || message.deliveries() > crashLimit;
    }
}
