package io.pigeonhole.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/tables.md} for Flyway and Liquibase are what {@link MigrationToolsIT} runs. */
class MigrationGuideTest {
    private static final Pattern INDENTATION = Pattern.compile("^ +", Pattern.MULTILINE);

    private final String guide = read("../docs/tables.md");

    @Test
    void everyExampleForFlywayIsRun() {
        String run = flat(read("src/test/java/io/pigeonhole/migration/MigrationTool.java"));

        assertThat(examples("java").stream().filter(example -> example.startsWith("Flyway")))
                .hasSize(2)
                .allMatch(example ->
                        run.contains(flat(example).replace("\"classpath:io/pigeonhole/schema/postgresql\"", "inbox")));
    }

    @Test
    void everyExampleForLiquibaseIsRun() {
        assertThat(examples("xml"))
                .hasSize(1)
                .allMatch(read("src/test/resources/db/changelog/changelog.xml")::contains);
    }

    private List<String> examples(String language) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(guide)
                .results()
                .map((MatchResult example) -> example.group(1))
                .toList();
    }

    private static String flat(String code) {
        return INDENTATION.matcher(code).replaceAll("");
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
