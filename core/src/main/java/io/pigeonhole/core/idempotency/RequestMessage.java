package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import org.jspecify.annotations.Nullable;

/** Makes a message of a request, so that its handler works with the same context as that of a message from a broker. */
public final class RequestMessage {
    private RequestMessage() {}

    /**
     * A message whose id is the idempotency key and whose type is the operation.
     *
     * @param name under which requests are kept
     * @param operation what is done
     * @param key the idempotency key
     * @param headers what else is to be known of the request
     * @param contentType of the body, or null
     * @param body the bytes; not copied
     * @return the message
     */
    public static Message of(
            String name, String operation, String key, Headers headers, @Nullable String contentType, byte[] body) {
        return Message.builder(name)
                .id(key)
                .type(operation)
                .headers(headers)
                .contentType(contentType)
                .payload(body)
                .build();
    }
}
