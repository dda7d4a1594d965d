package io.pigeonhole.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeySchemeTest {
    private static final String UUID_V7 = "0192f0c1-8a3e-7b2c-9d4e-5f6071829304";
    private static final KeyScheme TIME_ORDERED = new KeyScheme(0, false);

    private static final Pattern ROW =
            Pattern.compile("\\| (.+?) \\| `(.+?)` \\| `(.+?)` \\| (\\d+) \\| (yes|no) \\| `([0-9a-f-]{36})` \\|");
    private static final Pattern REPEATED = Pattern.compile("(\\d+) times (.)");

    record Vector(String what, String source, MessageId id, KeyScheme scheme, String key) {
        @Override
        public String toString() {
            return what;
        }
    }

    /** The table of the page that other languages read. */
    static List<Vector> vectors() throws IOException {
        List<Vector> vectors = new ArrayList<>();
        for (String line : page().lines().toList()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                KeyScheme scheme =
                        new KeyScheme(Long.parseLong(row.group(4)), row.group(5).equals("yes"));
                vectors.add(new Vector(row.group(1), row.group(2), id(row.group(3)), scheme, row.group(6)));
            }
        }
        return vectors;
    }

    private static String page() throws IOException {
        Path page = Path.of("docs", "message-key.md");
        return Files.readString(Files.exists(page) ? page : Path.of("..").resolve(page));
    }

    private static MessageId id(String text) {
        Matcher repeated = REPEATED.matcher(text);
        if (repeated.matches()) {
            return MessageId.of(repeated.group(2).repeat(Integer.parseInt(repeated.group(1))));
        }
        return text.startsWith("0x")
                ? MessageId.of(HexFormat.of().parseHex(text, 2, text.length()))
                : MessageId.of(text);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void keyIsAsThePageSays(Vector vector) {
        MessageKey key = vector.scheme().keyOf(vector.source(), vector.id());
        assertThat(key).hasToString(vector.key());
        assertThat(key.isTimeForm()).isEqualTo(!vector.key().startsWith("ff"));
    }

    @Test
    void thePageHasItsVectors() throws IOException {
        assertThat(vectors()).hasSizeGreaterThan(25);
    }

    @Test
    void originHasAKeyThatNoIdHas() throws IOException {
        byte[] payload = "{}".getBytes(UTF_8);
        MessageKey key = KeyScheme.keyOfOrigin("payments", "payments-0@17", payload);
        assertThat(page()).contains("origin `payments-0@17` gives `" + key + "`");
        assertThat(key.isTimeForm()).isFalse();
        assertThat(TIME_ORDERED.keyOf("payments", MessageId.of("payments-0@17")))
                .isNotEqualTo(key);
        assertThat(KeyScheme.keyOfOrigin("payments", "payments-0@17", new byte[0]))
                .as("another record at the same place, in a topic that was made anew")
                .isNotEqualTo(key);
    }

    @Test
    void formDependsOnTheIdAndNotOnTheMomentOfAsking() {
        MessageId id = MessageId.of(UUID_V7);
        KeyScheme later = new KeyScheme(0x0192f0c18a3eL + 1, false);
        assertThat(Stream.generate(() -> later.keyOf("payments", id)).limit(3)).allMatch(key -> !key.isTimeForm());
        assertThat(TIME_ORDERED.keyOf("payments", id).epochMillis()).isEqualTo(0x0192f0c18a3eL);
    }

    @Test
    void keysAreOrderedUnsigned() {
        MessageKey time = TIME_ORDERED.keyOf("payments", MessageId.of(UUID_V7));
        MessageKey digest = TIME_ORDERED.keyOf("payments", MessageId.of("order-17"));
        assertThat(time).isLessThan(MessageKey.FIRST_DIGEST);
        assertThat(digest).isGreaterThanOrEqualTo(MessageKey.FIRST_DIGEST);
        assertThat(MessageKey.firstOf(0x0192f0c18a3eL)).isLessThan(time);
        assertThat(new MessageKey(1, -1)).isGreaterThan(new MessageKey(1, Long.MAX_VALUE));
    }

    @Test
    void keySurvivesBytesAndUuid() {
        MessageKey key = TIME_ORDERED.keyOf("payments", MessageId.of("order-17"));
        assertThat(MessageKey.of(key.toBytes())).isEqualTo(key);
        assertThat(MessageKey.of(key.toUuid())).isEqualTo(key);
        assertThatThrownBy(() -> MessageKey.of(new byte[15])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onlyKeysInTimeFormHaveATime() {
        assertThatThrownBy(MessageKey.FIRST_DIGEST::epochMillis).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> MessageKey.firstOf(1L << 48)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageKey.firstOf(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
