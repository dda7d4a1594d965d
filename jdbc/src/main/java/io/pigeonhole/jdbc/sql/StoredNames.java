package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Names in the tables that decide what Pigeonhole does. With one that is not known it cannot go on, because it would have to guess. */
public final class StoredNames {
    private StoredNames() {}

    /** A program of another version may have written it, or a person. */
    public static <E extends Enum<E>> E read(Class<E> type, @Nullable String name, String whose) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(name)) {
                return constant;
            }
        }
        throw new ConfigurationException(whose + " has the " + type.getSimpleName() + " '" + name
                + "', which this version does not know; it knows " + Arrays.toString(type.getEnumConstants())
                + ". A newer version of Pigeonhole wrote it, or a person: use that version, or correct the row");
    }

    /** Whose name it is, for {@link #read}. */
    public static String consumer(String name) {
        return "consumer '" + name + "' in inbox_consumer";
    }
}
