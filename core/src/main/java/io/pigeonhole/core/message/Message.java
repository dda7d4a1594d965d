package io.pigeonhole.core.message;

import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message as the broker delivered it. Immutable and safe for use by many threads, as long as nobody changes the arrays
 * that it hands out: it does not copy them.
 */
public final class Message {
    private static final byte[] NOTHING = {};

    /** In characters. */
    private static final int LONGEST_IN_TEXTS = 100;

    private final String source;
    private final @Nullable MessageId id;
    private final @Nullable String type;
    private final byte @Nullable [] orderingKey;
    private final Headers headers;
    private final @Nullable String contentType;
    private final byte @Nullable [] payload;
    private final @Nullable String origin;
    private final int deliveries;
    private final @Nullable String defect;
    private final @Nullable LogPosition logPosition;
    private final @Nullable Supplier<String> fingerprint;
    private final @Nullable FieldNames fieldNames;

    private Message(Builder builder) {
        this.source = builder.source;
        this.id = builder.id;
        this.type = builder.type;
        this.orderingKey = builder.orderingKey;
        this.headers = builder.headers;
        this.contentType = builder.contentType;
        this.payload = builder.payload;
        this.origin = builder.origin;
        this.deliveries = builder.deliveries;
        this.defect = builder.defect;
        this.logPosition = builder.logPosition;
        this.fingerprint = builder.fingerprint;
        this.fieldNames = builder.fieldNames;
    }

    /**
     * Begins a message.
     *
     * @param source the logical name of where it came from, not blank
     * @return a builder with nothing else set
     * @throws IllegalArgumentException if the source is blank, or holds half of a surrogate pair
     */
    public static Builder builder(String source) {
        return new Builder(source);
    }

    /**
     * The logical name of where the message came from: the topic or queue, unless the adapter was configured otherwise.
     *
     * @return the name, never blank
     */
    public String source() {
        return source;
    }

    /**
     * The id that the producer gave it.
     *
     * @return the id, or null where it came without one
     */
    public @Nullable MessageId id() {
        return id;
    }

    /**
     * The type that the adapter found.
     *
     * @return the type, or null where none was found
     */
    public @Nullable String type() {
        return type;
    }

    /**
     * The key within which messages keep their order.
     *
     * @return the key's bytes, not to be changed, or null where the message has none
     */
    public byte @Nullable [] orderingKey() {
        return orderingKey;
    }

    /**
     * The headers.
     *
     * @return the headers, maybe none
     */
    public Headers headers() {
        return headers;
    }

    /**
     * The media type of the payload.
     *
     * @return the type, or null where none was given
     */
    public @Nullable String contentType() {
        return contentType;
    }

    /**
     * The payload.
     *
     * @return its bytes, not to be changed; none for a {@linkplain #isTombstone() tombstone}
     */
    public byte[] payload() {
        return payload == null ? NOTHING : payload;
    }

    /**
     * Whether the message came without a payload, which is not the same as an empty one: on Kafka it marks a deletion.
     *
     * @return true where there is no payload
     */
    public boolean isTombstone() {
        return payload == null;
    }

    /**
     * What the broker calls the place where it keeps this message, such as topic, partition and offset. It says where to
     * look, and distinguishes one unusable message among the dead letters from another; no handler ever runs because of it.
     *
     * @return the place, or null where it is not known
     */
    public @Nullable String origin() {
        return origin;
    }

    /**
     * How often the broker, or what the source knows of it, has begun to deliver this message. A hint: it takes no part in
     * recognising duplicates, and makes the inbox careful with a message that may have killed its process before.
     *
     * @return the count with this delivery, or 0 where it is not known
     */
    public int deliveries() {
        return deliveries;
    }

    /**
     * Why the adapter could not make the payload of what the broker delivered. Such a message holds what was delivered, and
     * goes to the dead letters before anybody takes it for the payload.
     *
     * @return what is wrong, or null where nothing is
     */
    public @Nullable String defect() {
        return defect;
    }

    /**
     * Where a log keeps this message, for consumers that deduplicate by it. It is not stored with a message that waits.
     *
     * @return the place, or null where the broker keeps no log
     */
    public @Nullable LogPosition logPosition() {
        return logPosition;
    }

    /**
     * What distinguishes a message without an id from others that its place held before, where a place is used again: such
     * as the time at which a log got it, and its headers. The same at each delivery. It is made when it is asked for, which
     * is done for a message that goes to the dead letters at once, and not stored.
     *
     * @return the fingerprint, or null where the source has none
     */
    public @Nullable String fingerprint() {
        return fingerprint == null ? null : fingerprint.get();
    }

    /**
     * Where the adapter looked for the id and the type. Not stored.
     *
     * @return the names, or null where the adapter has not said so
     */
    public @Nullable FieldNames fieldNames() {
        return fieldNames;
    }

    @Override
    public String toString() {
        return "message " + (id == null ? "without id" : shortened(id.toString()))
                + (type == null ? " without a type" : " of type " + type) + " from " + source
                + (origin == null ? "" : " at " + origin);
    }

    /** An id may have thousands of characters, and a text of people has several messages. */
    private static String shortened(String id) {
        if (id.length() <= LONGEST_IN_TEXTS) {
            return id;
        }
        boolean half = Character.isHighSurrogate(id.charAt(LONGEST_IN_TEXTS - 1));
        return id.substring(0, half ? LONGEST_IN_TEXTS - 1 : LONGEST_IN_TEXTS) + "… (" + id.length() + " characters)";
    }

    /** Collects the parts of a message. Not safe for use by many threads. */
    public static final class Builder {
        private final String source;
        private @Nullable MessageId id;
        private @Nullable String type;
        private byte @Nullable [] orderingKey;
        private Headers headers = Headers.none();
        private @Nullable String contentType;
        private byte @Nullable [] payload;
        private @Nullable String origin;
        private int deliveries;
        private @Nullable String defect;
        private @Nullable LogPosition logPosition;
        private @Nullable Supplier<String> fingerprint;
        private @Nullable FieldNames fieldNames;

        private Builder(String source) {
            if (source.isBlank()) {
                throw new IllegalArgumentException("a message needs a source: it is part of its identity");
            }
            this.source = Utf8.require("the source", source);
        }

        /**
         * Sets the id.
         *
         * @param id the id, or null for none
         * @return this
         */
        public Builder id(@Nullable MessageId id) {
            this.id = id;
            return this;
        }

        /**
         * Sets the id to the UTF-8 bytes of a text.
         *
         * @param id the id, not empty
         * @return this
         */
        public Builder id(String id) {
            return id(MessageId.of(id));
        }

        /**
         * Sets the id to the text of a UUID, in lower case with hyphens.
         *
         * @param id the id
         * @return this
         */
        public Builder id(UUID id) {
            return id(MessageId.of(id));
        }

        /**
         * Sets the type.
         *
         * @param type the type, or null for none
         * @return this
         */
        public Builder type(@Nullable String type) {
            this.type = type;
            return this;
        }

        /**
         * Sets the key within which messages keep their order.
         *
         * @param orderingKey the bytes, not copied, or null for none
         * @return this
         */
        public Builder orderingKey(byte @Nullable [] orderingKey) {
            this.orderingKey = orderingKey;
            return this;
        }

        /**
         * Sets the key within which messages keep their order to the UTF-8 bytes of a text.
         *
         * @param orderingKey the key
         * @return this
         * @throws IllegalArgumentException if the text holds half of a surrogate pair, which has no bytes
         */
        public Builder orderingKey(String orderingKey) {
            return orderingKey(Utf8.bytes("the ordering key", orderingKey));
        }

        /**
         * Sets the headers.
         *
         * @param headers the headers
         * @return this
         */
        public Builder headers(Headers headers) {
            this.headers = headers;
            return this;
        }

        /**
         * Sets the media type of the payload.
         *
         * @param contentType the type, or null for none
         * @return this
         */
        public Builder contentType(@Nullable String contentType) {
            this.contentType = contentType;
            return this;
        }

        /**
         * Sets the payload.
         *
         * @param payload the bytes, not copied, or null for a tombstone
         * @return this
         */
        public Builder payload(byte @Nullable [] payload) {
            this.payload = payload;
            return this;
        }

        /**
         * Sets the payload to the UTF-8 bytes of a text.
         *
         * @param payload the text
         * @return this
         * @throws IllegalArgumentException if the text holds half of a surrogate pair, which has no bytes
         */
        public Builder payload(String payload) {
            return payload(Utf8.bytes("the payload", payload));
        }

        /**
         * Sets where the broker keeps the message. Two messages without an id that have the same origin and the same payload
         * count as one that was delivered twice: where the broker has no place that belongs to one message alone, give each
         * delivery of a message without an id an origin of its own, or none.
         *
         * @param origin the place, or null where it is not known
         * @return this
         */
        public Builder origin(@Nullable String origin) {
            this.origin = origin;
            return this;
        }

        /**
         * Sets how often the message was delivered.
         *
         * @param deliveries the count with this delivery, or 0 where it is not known
         * @return this
         */
        public Builder deliveries(int deliveries) {
            if (deliveries < 0) {
                throw new IllegalArgumentException("a message cannot be delivered " + deliveries + " times");
            }
            this.deliveries = deliveries;
            return this;
        }

        /**
         * Says that the payload is not the payload, but what was delivered in its place.
         *
         * @param defect what is wrong, for a person
         * @return this
         */
        public Builder defect(@Nullable String defect) {
            this.defect = defect;
            return this;
        }

        /**
         * Sets where a log keeps the message.
         *
         * @param logPosition the place, or null where the broker keeps no log
         * @return this
         */
        public Builder logPosition(@Nullable LogPosition logPosition) {
            this.logPosition = logPosition;
            return this;
        }

        /**
         * Sets what distinguishes the message from others that its place held before.
         *
         * @param fingerprint answers the same text at each delivery of the message, whatever thread asks, and throws nothing; null
         *     where the broker uses no place again
         * @return this
         */
        public Builder fingerprint(@Nullable Supplier<String> fingerprint) {
            this.fingerprint = fingerprint;
            return this;
        }

        /**
         * Says where the adapter looked for the id and the type.
         *
         * @param fieldNames the names, or null where nobody need know them
         * @return this
         */
        public Builder fieldNames(@Nullable FieldNames fieldNames) {
            this.fieldNames = fieldNames;
            return this;
        }

        /**
         * Makes the message.
         *
         * @return the message
         */
        public Message build() {
            return new Message(this);
        }
    }
}
