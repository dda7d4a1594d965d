package io.pigeonhole.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The UUIDv7 that {@code docs/message-key.md} makes: what stands between the marks is compared with it. */
class IdGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    // begin
    private static final SecureRandom RANDOM = new SecureRandom();

    static UUID newId() {
        long timeAndVersion = System.currentTimeMillis() << 16 | 0x7000L | RANDOM.nextInt(0x1000);
        long variant = RANDOM.nextLong() >>> 2 | Long.MIN_VALUE;
        return new UUID(timeAndVersion, variant);
    }
    // end

    @Test
    void idSaysWhenItWasMade() {
        long before = System.currentTimeMillis();
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            UUID id = newId();
            ids.add(id);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
            assertThat(TimeOrderedId.epochMillis(MessageId.of(id).bytes(), false))
                    .isBetween(before, System.currentTimeMillis());
        }
        assertThat(ids).hasSize(1000);
    }

    @Test
    void guideShowsWhatIsTested() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        String guide = Files.readString(root.resolve("docs/message-key.md"));
        String source =
                Files.readString(root.resolve("core/src/test/java/io/pigeonhole/core/message/IdGuideTest.java"));

        assertThat(all(EXAMPLE, guide)).hasSize(1).isEqualTo(all(BETWEEN_MARKS, source));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(1).replaceAll("\\s+", ""))
                .toList();
    }
}
