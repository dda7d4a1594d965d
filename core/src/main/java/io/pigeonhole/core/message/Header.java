package io.pigeonhole.core.message;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One header of a message: a name and a value of bytes. Immutable and safe for use by many threads, as long as nobody
 * changes the array that it hands out.
 */
public final class Header {
    private final String name;
    private final byte @Nullable [] value;

    /**
     * A header.
     *
     * @param name the name as the broker delivered it
     * @param value the value, not copied; null where the broker delivered none, which is not the same as an empty one
     */
    public Header(String name, byte @Nullable [] value) {
        this.name = name;
        this.value = value;
    }

    /**
     * The name.
     *
     * @return the name as the broker delivered it
     */
    public String name() {
        return name;
    }

    /**
     * The value.
     *
     * @return its bytes, not to be changed, or null where there is none
     */
    public byte @Nullable [] value() {
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Header header && name.equals(header.name) && Arrays.equals(value, header.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, Arrays.hashCode(value));
    }

    @Override
    public String toString() {
        return name + (value == null ? " (null)" : " (" + value.length + " bytes)");
    }
}
