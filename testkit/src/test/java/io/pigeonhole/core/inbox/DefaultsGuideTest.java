package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.NumberFormat;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The defaults are those that {@code docs/settings.md} and {@code docs/failures.md} name. */
@Tag("M37")
class DefaultsGuideTest {
    private static final Map<Duration, String> DURATIONS = Map.of(
            Duration.ofMillis(300), "300 ms",
            Duration.ofSeconds(2), "2 s",
            Duration.ofMinutes(1), "one minute",
            Duration.ofMinutes(5), "five minutes",
            Duration.ofHours(1), "an hour");

    private final InMemoryStore store = InMemoryStore.create();
    private final String settings = read("settings.md");
    private final String guide = read("failures.md");

    @Test
    void inboxHasTheDefaultsOfThePage() throws ReflectiveOperationException {
        assertDefaults(
                Inbox.builder("mails", store),
                section("An inbox", "A node"),
                "deduplication",
                "order",
                "workPartitions",
                "reception",
                "onRedeliveredDeadLetter",
                "crashLimit",
                "lateLimit",
                "workBatch",
                "workBytes",
                "lease",
                "externalTimeout",
                "handlerTimeout",
                "slowBatch",
                "concurrentDuplicateTimeout",
                "history");
    }

    @Test
    void nodeHasTheDefaultsOfThePage() throws ReflectiveOperationException {
        assertDefaults(
                Node.builder(store),
                section("A node", "A store"),
                "workers",
                "leaseWorkers",
                "pollInterval",
                "maintenanceInterval",
                "windowGuard");
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

    private String section(String title, String next) {
        return settings.substring(settings.indexOf("## " + title), settings.indexOf("## " + next));
    }

    private static void assertDefaults(Object builder, String table, String... names)
            throws ReflectiveOperationException {
        for (String name : names) {
            assertThat(table.lines().filter(line -> line.startsWith("| `" + name + "` |")))
                    .as(name)
                    .singleElement()
                    .asString()
                    .containsIgnoringCase(written(value(builder, name)) + " unless set");
        }
    }

    private static Object value(Object builder, String setting) throws ReflectiveOperationException {
        Field field = builder.getClass().getDeclaredField(setting);
        field.setAccessible(true);
        return field.get(builder);
    }

    private static String written(Object value) {
        if (value instanceof Duration duration) {
            return DURATIONS.getOrDefault(duration, duration.toString());
        }
        if (value instanceof Enum<?> constant) {
            return "`" + constant.getDeclaringClass().getSimpleName() + "." + constant + "`";
        }
        return value instanceof Long bytes
                ? (bytes >> 20) + " MiB"
                : NumberFormat.getIntegerInstance(Locale.ROOT).format(value);
    }

    private static String read(String page) {
        try {
            return Files.readString(Path.of("..", "docs", page));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
