package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TimeOrderedIdTest {
    private static final String UUID_V7 = "0192f0c0-12aB-7cDe-bF01-23456789abcd";
    private static final Pattern FORM =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}");

    @Test
    void uuidHasATimeOnlyWithTheRightByteAtEachPlace() {
        for (int place = 0; place < UUID_V7.length(); place++) {
            for (int value = 0; value < 256; value++) {
                byte[] id = UUID_V7.getBytes(StandardCharsets.ISO_8859_1);
                id[place] = (byte) value;
                String text = new String(id, StandardCharsets.ISO_8859_1);
                long expected = FORM.matcher(text).matches()
                        ? Long.parseLong(text.substring(0, 8) + text.substring(9, 13), 16)
                        : TimeOrderedId.NONE;
                assertThat(TimeOrderedId.epochMillis(id, false))
                        .as("byte %d at %d", value, place)
                        .isEqualTo(expected);
            }
        }
    }
}
