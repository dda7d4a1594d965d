package io.pigeonhole.core.message;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One header of a message: a name and a value of bytes.
 *
 * @param name the name as the broker delivered it
 * @param value the value; null where the broker delivered none, which is not the same as an empty one. The array is not
 *     copied and must not be changed
 */
@SuppressWarnings(
        "ArrayRecordComponent") // Equality is by content, below; copies of what the broker holds already would cost.
public record Header(String name, byte @Nullable [] value) {
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
