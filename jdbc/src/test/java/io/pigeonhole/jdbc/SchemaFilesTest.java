package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.schema.SchemaFiles;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaFilesTest {
    private static final String CHANGELOG = SchemaFiles.read(SchemaFiles.CHANGELOG, "");

    /** Flyway runs repeatable migrations in the order of their descriptions. */
    @Test
    void namesAreThoseOfRepeatableMigrationsInTheOrderOfVersions() {
        assertThat(SchemaFiles.ALL).isSorted().allMatch(file -> file.matches("R__pigeonhole_\\d{3}_\\w+\\.sql"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mariadb", "h2"})
    void changelogOfLiquibaseRunsEachFileInTheOrderOfVersions(String database) {
        List<String> files = Pattern.compile("path=\"io/pigeonhole/schema/" + database + "/([^\"]+)\"")
                .matcher(CHANGELOG)
                .results()
                .map(file -> file.group(1))
                .toList();

        assertThat(files).isEqualTo(SchemaFiles.ALL);
    }

    /** Flyway would look for a value, and fail. */
    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mariadb", "h2"})
    void filesHaveNoPlaceholders(String database) {
        assertThat(Schema.print(database)).doesNotContain("${");
    }
}
