package io.pigeonhole.core.outbox;

import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.Utf8;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message to send. Its id is made when it is appended. Immutable and safe for use by many threads, as long as nobody changes the
 * arrays that it was given: it does not copy them.
 */
public final class OutboxMessage {
    /** The longest name of a destination, in characters. */
    public static final int LONGEST_DESTINATION = 180;

    /** The longest ordering key, in bytes. */
    public static final int LONGEST_KEY = 1024;

    /** The longest type and the longest content type, in characters. */
    public static final int LONGEST_TYPE = 255;

    /**
     * The header with what a chain of messages has in common. Where the message that is handled has none, it is that message's id. A
     * message may be given another one.
     */
    public static final String CORRELATION_ID = "correlation-id";

    /** The header with the id of the message whose handler appended this one. Always ours. */
    public static final String CAUSATION_ID = "causation-id";

    private final String destination;
    private final @Nullable String type;
    private final byte @Nullable [] key;
    private final Headers headers;
    private final @Nullable String contentType;
    private final byte @Nullable [] payload;

    private OutboxMessage(Builder builder) {
        this.destination = builder.destination;
        this.type = builder.type;
        this.key = builder.key;
        this.headers = builder.headers;
        this.contentType = builder.contentType;
        this.payload = builder.payload;
    }

    /**
     * Begins a message.
     *
     * @param destination the name of a {@link io.pigeonhole.core.relay.Relay}: 1 to {@value #LONGEST_DESTINATION} characters
     * @return a builder with nothing else set
     * @throws IllegalArgumentException if it is blank, too long, or holds NUL or half of a surrogate pair
     */
    public static Builder to(String destination) {
        return new Builder(destination);
    }

    /**
     * Where it goes.
     *
     * @return the name of a relay
     */
    public String destination() {
        return destination;
    }

    /**
     * In which work partition of its destination it is: that of its ordering key, or of its id where it has none.
     *
     * @param id its id
     * @return from 0 to {@link Outbox#WORK_PARTITIONS} - 1
     */
    public int workPartition(UUID id) {
        byte[] bytes = key == null ? MessageId.of(id).toBytes() : key;
        return OrderingKey.partition(bytes, Outbox.WORK_PARTITIONS);
    }

    /**
     * The message as a publisher gets it. For stores.
     *
     * @param id the id that it was given
     * @param handled the message whose handler appends it, or null where none does
     * @return a message whose source is the destination
     */
    public Message toMessage(UUID id, @Nullable Message handled) {
        return Message.builder(destination)
                .id(id)
                .type(type)
                .orderingKey(key)
                .headers(withCause(handled))
                .contentType(contentType)
                .payload(payload)
                .build();
    }

    private Headers withCause(@Nullable Message handled) {
        MessageId cause = handled == null ? null : handled.id();
        Headers own = headers.without(CAUSATION_ID);
        if (handled == null || cause == null) {
            return own;
        }
        Headers caused = own.with(CAUSATION_ID, cause.toBytes());
        if (own.last(CORRELATION_ID) != null) {
            return caused;
        }
        byte[] correlation = handled.headers().last(CORRELATION_ID);
        return caused.with(CORRELATION_ID, correlation == null ? cause.toBytes() : correlation);
    }

    @Override
    public String toString() {
        return "message to " + destination + (type == null ? "" : " of type " + type);
    }

    /** Collects the parts of a message. Not safe for use by many threads. */
    public static final class Builder {
        private final String destination;
        private @Nullable String type;
        private byte @Nullable [] key;
        private Headers headers = Headers.none();
        private @Nullable String contentType;
        private byte @Nullable [] payload = {};

        private Builder(String destination) {
            if (destination.isBlank()) {
                throw new IllegalArgumentException("a message to send needs a destination, the name of a relay");
            }
            this.destination = checked("destination", destination, LONGEST_DESTINATION);
        }

        private static String checked(String what, String text, int longest) {
            if (text.length() > longest || text.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("the " + what + " of a message to send may have " + longest
                        + " characters without NUL, not these " + text.length());
            }
            return Utf8.require("the " + what, text);
        }

        /**
         * Sets the type.
         *
         * @param name the type, as the receiver knows it; at most {@value OutboxMessage#LONGEST_TYPE} characters
         * @return this
         */
        public Builder type(String name) {
            this.type = checked("type", name, LONGEST_TYPE);
            return this;
        }

        /**
         * Sets the key within which messages are published in order: a text.
         *
         * @param text the key, as UTF-8 at most {@value OutboxMessage#LONGEST_KEY} bytes
         * @return this
         * @throws IllegalArgumentException if it is too long, or holds half of a surrogate pair
         */
        public Builder key(String text) {
            return key(Utf8.bytes("the key", text));
        }

        /**
         * Sets the key within which messages are published in order.
         *
         * @param bytes the key, at most {@value OutboxMessage#LONGEST_KEY} bytes, not copied
         * @return this
         * @throws IllegalArgumentException if it is too long
         */
        public Builder key(byte[] bytes) {
            if (bytes.length > LONGEST_KEY) {
                throw new IllegalArgumentException(
                        "the key of a message to send has " + bytes.length + " bytes; " + LONGEST_KEY + " are allowed");
            }
            this.key = bytes;
            return this;
        }

        /**
         * Adds a header. Names of ours, such as {@code message-id}, {@code message-type} and {@code causation-id}, are allowed and have no
         * effect: what a publisher writes there wins.
         *
         * @param name the name
         * @param value the value, as UTF-8
         * @return this
         * @throws IllegalArgumentException if the name is empty, or either holds half of a surrogate pair
         */
        public Builder header(String name, String value) {
            return header(name, Utf8.bytes("the value of the header '" + name + "'", value));
        }

        /**
         * Adds a header of bytes.
         *
         * @param name the name
         * @param value the value, not copied
         * @return this
         * @throws IllegalArgumentException if the name is empty, or holds half of a surrogate pair
         */
        public Builder header(String name, byte[] value) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("a header of a message to send needs a name");
            }
            this.headers = headers.with(Utf8.require("the name of a header", name), value);
            return this;
        }

        /**
         * Sets the media type of the payload.
         *
         * @param mediaType such as {@code application/json}; at most {@value OutboxMessage#LONGEST_TYPE} characters
         * @return this
         */
        public Builder contentType(String mediaType) {
            this.contentType = checked("content type", mediaType, LONGEST_TYPE);
            return this;
        }

        /**
         * Sets the payload.
         *
         * @param bytes the payload, not copied, empty unless set; null for a tombstone, which Kafka alone can send
         * @return this
         */
        public Builder payload(byte @Nullable [] bytes) {
            this.payload = bytes;
            return this;
        }

        /**
         * Sets the payload to a text.
         *
         * @param text the payload, as UTF-8
         * @return this
         * @throws IllegalArgumentException if it holds half of a surrogate pair
         */
        public Builder payload(String text) {
            return payload(Utf8.bytes("the payload", text));
        }

        /**
         * Makes the message.
         *
         * @return the message
         */
        public OutboxMessage build() {
            return new OutboxMessage(this);
        }
    }
}
