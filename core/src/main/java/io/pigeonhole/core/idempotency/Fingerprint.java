package io.pigeonhole.core.idempotency;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A digest of what a request asks for. An idempotency key that comes again with another fingerprint is refused. Immutable and safe for
 * use by many threads.
 */
public final class Fingerprint {
    private static final int LENGTH = 32;

    private final byte[] bytes;

    private Fingerprint(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * One that was computed before.
     *
     * @param bytes exactly 32; copied
     * @return the fingerprint
     */
    public static Fingerprint of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a fingerprint has 32 bytes, not " + bytes.length);
        }
        return new Fingerprint(bytes.clone());
    }

    /**
     * Begins a fingerprint: a SHA-256 over parts, whose order counts.
     *
     * @return a builder without parts
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The bytes.
     *
     * @return 32 of them, in an array of the caller's own
     */
    public byte[] toBytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }

    /** Collects the parts of a fingerprint. Not safe for use by many threads. */
    public static final class Builder {
        private final Digest digest = new Digest();

        private Builder() {}

        /**
         * Adds a text.
         *
         * @param part the text, or null: none is another part than an empty one
         * @return this
         */
        public Builder add(@Nullable String part) {
            digest.text(part);
            return this;
        }

        /**
         * Adds bytes.
         *
         * @param part the bytes, or null
         * @return this
         */
        public Builder add(byte @Nullable [] part) {
            digest.bytes(part);
            return this;
        }

        /**
         * Ends it.
         *
         * @return the fingerprint; the builder is of no use any more
         */
        public Fingerprint build() {
            return new Fingerprint(digest.end());
        }
    }
}
