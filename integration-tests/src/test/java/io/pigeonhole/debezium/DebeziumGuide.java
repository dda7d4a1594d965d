package io.pigeonhole.debezium;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;

/** What users copy from {@code docs/outbox-debezium.md}. */
final class DebeziumGuide {
    private static final Path PAGE = Path.of("../docs/outbox-debezium.md");

    private DebeziumGuide() {}

    static String text() {
        try {
            return Files.readString(PAGE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What is below a heading. */
    static String section(String heading) {
        String below = text().split("\n## " + Pattern.quote(heading) + "\n", 2)[1];
        return below.split("\n## ", 2)[0];
    }

    /** The settings of the connector. */
    static Properties connector() {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(only(examples("properties"), "connector.class")));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return properties;
    }

    /** The example in SQL that has these words. */
    static String sql(String words) {
        return only(examples("sql"), words);
    }

    static List<String> examples(String language) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(text())
                .results()
                .map(example -> example.group(1))
                .toList();
    }

    private static String only(List<String> examples, String words) {
        List<String> found =
                examples.stream().filter(example -> example.contains(words)).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " examples have '" + words + "'");
        }
        return found.get(0);
    }
}
