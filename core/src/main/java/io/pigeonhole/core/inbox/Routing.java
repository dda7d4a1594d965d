package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.FieldNames;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the type of a message and what is set for it. */
record Routing<C extends HandlerContext>(
        Map<String, Route<?, C>> routes,
        @Nullable Route<?, C> other,
        @Nullable String typeHeader,
        @Nullable String defaultType,
        UnknownType unknownType,
        RetryPolicy retry,
        int payloadLimit,
        UnknownWork unknownWork) {

    @Nullable
    String typeOf(Message message) {
        String inHeader = typeHeader == null ? null : message.headers().lastText(typeHeader);
        if (inHeader != null) {
            return inHeader;
        }
        return message.type() != null ? message.type() : defaultType;
    }

    @Nullable
    Route<?, C> routeOf(Message message) {
        String type = typeOf(message);
        Route<?, C> own = type == null ? null : routes.get(type);
        return own == null ? other : own;
    }

    RetryPolicy retryOf(Message message) {
        Route<?, C> route = routeOf(message);
        RetryPolicy own = route == null ? null : route.options().retry();
        return own != null ? own : retry;
    }

    /** Says that there is no handler for the type of a message, and for which there are; or that it has no type, and what gives one. */
    String describeUnknown(Message message) {
        String type = typeOf(message);
        String what = type == null ? withoutType(message) : "no handler for type '" + ErrorText.bounded(type) + "'";
        return what + "; handled are " + routes.keySet();
    }

    private String withoutType(Message message) {
        FieldNames names = message.fieldNames();
        String inHeader = typeHeader == null ? "" : "the header '" + typeHeader + "' (typeHeader of the inbox)";
        String ofSource = names == null ? "" : names.type();
        String places = inHeader + (inHeader.isEmpty() || ofSource.isEmpty() ? "" : " and ") + ofSource;
        return "the message is without a type" + (places.isEmpty() ? "" : ", which was looked for in " + places)
                + "; defaultType of the inbox gives one to such messages";
    }

    int payloadLimitOf(@Nullable Route<?, C> route) {
        Integer own = route == null ? null : route.options().payloadLimit();
        return own != null ? own : payloadLimit;
    }
}
