package io.pigeonhole.architecture;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/settings.md} is made of the Javadoc of the builders. A run with {@code -Dsettings.record} writes it anew; without, the page
 * has to be what the code says.
 */
class SettingsPageTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/settings.md");

    private static final List<Section> SECTIONS = List.of(
            new Section("An inbox", "Inbox.builder(consumer, store)", "core", "inbox/InboxBuilder", "InboxBuilder<C>"),
            new Section("A node", "Node.builder(store)", "core", "node/NodeBuilder", "NodeBuilder"),
            new Section("A store", "JdbcStore.builder(dataSource)", "jdbc", "JdbcStore", "Builder"),
            new Section(
                    "A source on Kafka",
                    "KafkaSource.builder(inbox, consumerConfig, topics…)",
                    "kafka",
                    "KafkaSourceBuilder",
                    "KafkaSourceBuilder"),
            new Section(
                    "A source on RabbitMQ",
                    "RabbitSource.builder(inbox, connectionFactory, queues…)",
                    "rabbitmq",
                    "RabbitSourceBuilder",
                    "RabbitSourceBuilder"),
            new Section(
                    "A source on SQS",
                    "SqsSource.builder(inbox, client, queueUrl)",
                    "sqs",
                    "SqsSourceBuilder",
                    "SqsSourceBuilder"),
            new Section(
                    "A relay",
                    "Relay.builder(destination, store, publisher)",
                    "core",
                    "relay/RelayBuilder",
                    "RelayBuilder"),
            new Section(
                    "A publisher to Kafka",
                    "KafkaPublisher.builder(producerConfig, topic)",
                    "kafka",
                    "KafkaPublisherBuilder",
                    "KafkaPublisherBuilder"),
            new Section(
                    "A publisher to RabbitMQ",
                    "RabbitPublisher.builder(connectionFactory, exchange)",
                    "rabbitmq",
                    "RabbitPublisherBuilder",
                    "RabbitPublisherBuilder"),
            new Section(
                    "A publisher to SQS",
                    "SqsPublisher.builder(client, queue)",
                    "sqs",
                    "SqsPublisherBuilder",
                    "SqsPublisherBuilder"),
            new Section(
                    "A replay",
                    "Replay.builder(name, consumer, store, author)",
                    "core",
                    "replay/ReplayBuilder",
                    "ReplayBuilder<C>"),
            new Section(
                    "Requests with idempotency keys",
                    "IdempotentRequests.builder(store.idempotency(), name)",
                    "core",
                    "idempotency/IdempotentRequestsBuilder",
                    "IdempotentRequestsBuilder<C>"),
            new Section(
                    "A filter for idempotency keys",
                    "IdempotencyFilter.builder(requests)",
                    "http",
                    "IdempotencyFilterBuilder",
                    "IdempotencyFilterBuilder<C>"));

    private static final Pattern COMMENT =
            Pattern.compile("^ +/\\*\\*$\\n((?:^ +\\*.*$\\n)+?)^ +\\*/$\\n", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\{@link(?:plain)? #?([^ }(]+)(?:\\([^)]*\\))?(?: ([^}]+))?}");
    private static final Pattern VALUE = Pattern.compile("\\{@value #(\\w+)}");
    private static final Pattern CODE = Pattern.compile("\\{@code ([^}]+)}");

    private record Section(String title, String call, String module, String type, String returned) {
        String source() {
            Path file = ROOT.resolve(module + "/src/main/java/io/pigeonhole/" + module + "/" + type + ".java");
            try {
                return Files.readString(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private record Setting(String name, List<String> values, String meaning) {
        boolean isHandlers() {
            return name.matches("handle(|Batch|External|Other)|into(|OwnHandlers)");
        }

        String row() {
            return "| `" + name + "` | " + String.join("; ", values) + " | " + meaning + " |";
        }
    }

    @Test
    void pageIsWhatTheCodeSays() throws IOException {
        String now = page();
        if (System.getProperty("settings.record") != null) {
            Files.writeString(PAGE, now);
        }
        assertThat(Files.readString(PAGE).lines().toList())
                .containsExactlyElementsOf(now.lines().toList());
    }

    @Test
    void everySettingHasADescription() {
        for (Section section : SECTIONS) {
            assertThat(settings(section))
                    .as(section.title())
                    .hasSizeGreaterThan(3)
                    .allSatisfy(setting -> {
                        assertThat(setting.meaning()).as(setting.name()).isNotBlank();
                        assertThat(setting.row()).as(setting.name()).doesNotContain("{@", "@param");
                    });
        }
    }

    private static String page() {
        String sections = SECTIONS.stream()
                .map(section ->
                        "\n## " + section.title() + "\n\n`" + section.call() + "`:\n\n| setting | values | meaning |\n"
                                + "|---|---|---|\n"
                                + settings(section).stream().map(Setting::row).collect(joining("\n"))
                                + "\n")
                .collect(joining());
        return "# Settings\n\nMade of the Javadoc of the builders by `SettingsPageTest`, so that it is what the code says.\n"
                + sections;
    }

    private static List<Setting> settings(Section section) {
        Pattern method = Pattern.compile("\\G(?: +@\\w+.*\\n)* +public (?:<[^>]+> )?"
                + Pattern.quote(section.returned()) + "\\s+(\\w+)\\(([^{]*?)\\)(?: throws \\w+)? \\{");
        String source = section.source();
        List<Setting> found = new ArrayList<>();
        Matcher comments = COMMENT.matcher(source);
        while (comments.find()) {
            Matcher declared = method.matcher(source).region(comments.end(), source.length());
            if (declared.find()) {
                Setting setting = setting(declared, withValues(comments.group(1), source));
                if (!setting.isHandlers()) {
                    found.add(setting);
                }
            }
        }
        return found;
    }

    /** Constants of the same class. */
    private static String withValues(String comment, String source) {
        return VALUE.matcher(comment).replaceAll(value -> {
            Matcher constant =
                    Pattern.compile(" " + value.group(1) + " = ([\\d_]+)").matcher(source);
            assertThat(constant.find()).as(value.group(1)).isTrue();
            return constant.group(1).replace('_', ',');
        });
    }

    private static Setting setting(MatchResult declared, String comment) {
        String text = comment.lines()
                .map(line -> line.strip().replaceFirst("^\\* ?", ""))
                .collect(joining("\n"));
        List<String> tags = List.of(text.split("\n(?=@)", -1));
        String first = List.of(tags.get(0).split("\n\\s*<p>", 2)).get(0);
        List<String> values = new ArrayList<>();
        for (String tag : tags) {
            if (tag.startsWith("@param ") && !tag.startsWith("@param <")) {
                values.add(plain(tag.replaceFirst("@param \\w+ ", "")));
            }
        }
        String name = declared.group(1) + (declared.group(2).isBlank() ? "()" : "");
        return new Setting(name, values, plain(first));
    }

    private static String plain(String javadoc) {
        String linked = LINK.matcher(javadoc.replaceAll("\\s+", " ").strip())
                .replaceAll(link -> Matcher.quoteReplacement(
                        link.group(2) == null ? "`" + link.group(1).replace('#', '.') + "`" : link.group(2)));
        return CODE.matcher(linked).replaceAll("`$1`").replace("|", "\\|");
    }
}
