package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.RequestIdentity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the values of the header with the idempotency key say.
 *
 * @param key the key; null where there is none, or none that can be used
 * @param defect why it cannot be used, null where it can or there is none
 */
record KeyHeader(@Nullable String key, @Nullable String defect) {
    private static final KeyHeader MISSING = new KeyHeader(null, null);

    /** Reads all values of the header. */
    static KeyHeader parse(List<String> values, boolean strict) {
        KeyHeader first = MISSING;
        for (String value : values) {
            KeyHeader parsed = parse(value.strip(), strict);
            if (parsed.defect != null) {
                return parsed;
            }
            if (first.key != null && !first.key.equals(parsed.key)) {
                return invalid("the header came more than once, with different values");
            }
            first = parsed;
        }
        return first;
    }

    boolean isMissing() {
        return key == null && defect == null;
    }

    private static KeyHeader invalid(String defect) {
        return new KeyHeader(null, defect);
    }

    private static KeyHeader parse(String value, boolean strict) {
        if (value.startsWith("\"")) {
            return quoted(value);
        }
        if (strict) {
            return invalid("the key has to be a string in double quotes");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            // A proxy puts a comma between two headers of one name.
            if (c <= ' ' || c > '~' || c == '"' || c == ',') {
                return invalid("a key without quotes has visible ASCII characters only, without quotes and commas");
            }
        }
        return checked(value);
    }

    /** A string as structured fields have it: RFC 8941, 3.3.3. Parameters behind it say nothing here. */
    private static KeyHeader quoted(String value) {
        StringBuilder key = new StringBuilder();
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"') {
                return isEnd(value.substring(i + 1).strip())
                        ? checked(key.toString())
                        : invalid("there is something behind the quoted key");
            }
            if (c == '\\') {
                i++;
                if (i == value.length() || (value.charAt(i) != '"' && value.charAt(i) != '\\')) {
                    return invalid("a backslash in a quoted key stands before a quote or a backslash");
                }
                key.append(value.charAt(i));
            } else if (c < ' ' || c > '~') {
                return invalid("a quoted key has printable ASCII characters only");
            } else {
                key.append(c);
            }
        }
        return invalid("the quote at the end of the key is missing");
    }

    private static boolean isEnd(String rest) {
        return rest.isEmpty() || (rest.startsWith(";") && rest.chars().allMatch(c -> c >= ' ' && c <= '~' && c != ','));
    }

    private static KeyHeader checked(String key) {
        if (key.isBlank()) {
            return invalid("the key is empty");
        }
        return key.length() > RequestIdentity.LONGEST_KEY
                ? invalid("the key has " + key.length() + " characters, of which " + RequestIdentity.LONGEST_KEY
                        + " are allowed")
                : new KeyHeader(key, null);
    }
}
