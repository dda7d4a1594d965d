package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Who changes something, and why. Kept with every change. What no text column takes, such as NUL or half of a surrogate pair, is replaced by U+FFFD.
 *
 * @param who the person, or the program, not blank, at most {@value #LONGEST_WHO} characters
 * @param reason why, not blank, at most {@value #LONGEST_REASON} characters
 */
public record Author(String who, String reason) {
    /** The longest name. */
    public static final int LONGEST_WHO = 200;

    /** The longest reason. */
    public static final int LONGEST_REASON = 1_000;

    /** Checks both and replaces what cannot be stored. */
    public Author {
        who = checked("who", who, LONGEST_WHO);
        reason = checked("reason", reason, LONGEST_REASON);
    }

    private static String checked(String name, String text, int longest) {
        Objects.requireNonNull(
                text, () -> "'" + name + "' is null: every change is kept with who made it and the reason");
        if (text.isBlank() || text.length() > longest) {
            throw new IllegalArgumentException("'" + name + "' needs 1 to " + longest
                    + " characters that are not all blank, not " + text.length() + ": every change is kept with it");
        }
        return new String(Utf8.replacing(text), StandardCharsets.UTF_8).replace('\0', '\uFFFD');
    }
}
