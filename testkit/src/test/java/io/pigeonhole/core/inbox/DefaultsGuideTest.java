package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The defaults are those that {@code docs/failures.md} tells. */
@Tag("M37")
class DefaultsGuideTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| `?([^`|]+?)`? \\|");

    private final InMemoryStore store = InMemoryStore.create();
    private final String guide = read();

    @Test
    void inboxHasTheDefaultsOfItsTable() throws ReflectiveOperationException {
        String table = guide.substring(guide.indexOf("## Settings of an inbox"), guide.indexOf("\nOf a node:"));
        List<MatchResult> rows = ROW.matcher(table).results().toList();
        InboxBuilder<?> builder = Inbox.builder("mails", store);

        assertThat(rows).hasSizeGreaterThan(10);
        for (MatchResult row : rows) {
            if (!row.group(1).equals("retry")) {
                assertThat(told(value(builder, row.group(1)))).as(row.group(1)).isEqualTo(row.group(2));
            }
        }
        assertThat(value(builder, "retry")).isEqualTo(RetryPolicy.standard());
    }

    @Test
    void nodeHasTheDefaultsOfThePage() throws ReflectiveOperationException {
        Object builder = Node.builder(store);

        assertThat(guide)
                .contains("`workers` (" + value(builder, "workers") + " threads)")
                .contains("`leaseWorkers` (" + value(builder, "leaseWorkers") + ")")
                .contains("`pollInterval` (" + told(value(builder, "pollInterval")) + ")");
    }

    @Test
    void messagesAreTriedFiveTimesWithinADay() {
        RetryPolicy standard = RetryPolicy.standard();

        assertThat(guide)
                .contains("| `maxAttempts` | " + standard.maxAttempts() + " |")
                .contains("| `maxAge` | " + standard.maxAge().toHours() + " h |")
                .contains("| `jitter` | " + standard.jitter() + " |");
        assertThat(standard.maxAttempts()).isEqualTo(5);
        assertThat(standard.maxAge()).isEqualTo(Duration.ofHours(24));
    }

    private static Object value(Object builder, String setting) throws ReflectiveOperationException {
        Field field = builder.getClass().getDeclaredField(setting);
        field.setAccessible(true);
        return field.get(builder);
    }

    private static String told(Object value) {
        if (value instanceof Duration duration) {
            return duration.toMillis() < 1000
                    ? duration.toMillis() + " ms"
                    : duration.toSeconds() < 60
                            ? duration.toSeconds() + " s"
                            : duration.toMinutes() < 60 ? duration.toMinutes() + " min" : duration.toHours() + " h";
        }
        return value instanceof Long bytes ? (bytes >> 20) + " MiB" : String.valueOf(value);
    }

    private static String read() {
        try {
            return Files.readString(Path.of("..", "docs", "failures.md"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
