package io.pigeonhole.core.handler;

import io.pigeonhole.core.message.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Turns the payload of a message into the argument of its handler. Called once per run of the handler, before the handlers
 * of a batch begin. Must be safe for use by many threads.
 *
 * @param <T> the type of the decoded payload
 */
@FunctionalInterface
public interface PayloadDecoder<T> {
    /**
     * Decodes a payload. A decoder that has a meaning for {@linkplain Message#isTombstone() tombstones} asks for them.
     *
     * @param message the message
     * @return the decoded payload, never null
     * @throws Exception to say that the payload cannot be decoded: the message goes to the dead letters with the original
     *     bytes. An error other than {@link StackOverflowError}, an {@link InterruptedException} and a
     *     {@link java.util.concurrent.TimeoutException} say nothing about the bytes: an attempt has failed
     */
    T decode(Message message) throws Exception;

    /**
     * The payload as it is, in an array of the handler's own, which it may change; none for a tombstone.
     *
     * @return a decoder that never fails
     */
    static PayloadDecoder<byte[]> bytes() {
        return message -> message.payload().clone();
    }

    /**
     * The payload as text, well-formed UTF-8 and no tombstone.
     *
     * @return a decoder that refuses anything else
     */
    static PayloadDecoder<String> text() {
        return message -> {
            if (message.isTombstone()) {
                throw new IllegalArgumentException("a tombstone has no text");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(message.payload()))
                    .toString();
        };
    }
}
