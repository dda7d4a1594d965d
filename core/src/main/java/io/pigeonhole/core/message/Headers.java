package io.pigeonhole.core.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message, in the order of delivery. A name may stand more than once, a value may be any bytes. Immutable
 * and safe for use by many threads.
 *
 * @param list the headers
 */
public record Headers(List<Header> list) implements Iterable<Header> {
    private static final Headers NONE = new Headers(List.of());

    /** Copies the list. */
    public Headers {
        list = List.copyOf(list);
    }

    /**
     * No headers.
     *
     * @return the empty headers
     */
    public static Headers none() {
        return NONE;
    }

    /**
     * These headers and one more behind them.
     *
     * @param name the name
     * @param value the value, null for none; not copied
     * @return new headers
     */
    public Headers with(String name, byte @Nullable [] value) {
        List<Header> more = new ArrayList<>(list);
        more.add(new Header(name, value));
        return new Headers(more);
    }

    /**
     * These headers and one more behind them, whose value is a text.
     *
     * @param name the name
     * @param value the value, stored as UTF-8
     * @return new headers
     * @throws IllegalArgumentException if the value holds half of a surrogate pair, which has no bytes
     */
    public Headers with(String name, String value) {
        return with(name, Utf8.bytes("the value of the header '" + name + "'", value));
    }

    /**
     * These headers but those of a name.
     *
     * @param name the name, compared exactly
     * @return the same headers where none has it
     */
    public Headers without(String name) {
        return list.stream().noneMatch(header -> header.name().equals(name))
                ? this
                : new Headers(list.stream()
                        .filter(header -> !header.name().equals(name))
                        .toList());
    }

    /**
     * The value that a name was given last.
     *
     * @param name the name, compared exactly
     * @return the value, or null where the name is absent or its last value is null; not to be changed
     */
    public byte @Nullable [] last(String name) {
        for (int i = list.size() - 1; i >= 0; i--) {
            if (list.get(i).name().equals(name)) {
                return list.get(i).value();
            }
        }
        return null;
    }

    /**
     * The value that a name was given last, read as UTF-8.
     *
     * @param name the name, compared exactly
     * @return the text, with replacement characters where the bytes are not UTF-8, or null where there is no value
     */
    public @Nullable String lastText(String name) {
        byte[] value = last(name);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public Iterator<Header> iterator() {
        return list.iterator();
    }
}
