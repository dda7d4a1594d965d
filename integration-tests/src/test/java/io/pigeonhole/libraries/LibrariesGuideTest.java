package io.pigeonhole.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/libraries.md} stand in the tests of this package. */
class LibrariesGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern INDENTATION = Pattern.compile("^ +", Pattern.MULTILINE);
    private static final Path SOURCES = Path.of("src/test/java/io/pigeonhole/libraries");

    @Test
    void everyExampleStandsInATestAndEveryLibraryHasOne() throws IOException {
        List<String> found = EXAMPLE.matcher(Files.readString(Path.of("../docs/libraries.md")))
                .results()
                .map(MatchResult::group)
                .map(example -> example.substring("```java\n".length(), example.length() - "```".length()))
                .map(LibrariesGuideTest::fileWith)
                .distinct()
                .toList();

        assertThat(found)
                .containsExactly(
                        "JooqIT.java",
                        "JdbiIT.java",
                        "MyBatisIT.java",
                        "HibernateIT.java",
                        "SpringIT.java",
                        "ManyRowsIT.java");
    }

    private static String fileWith(String example) {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.filter(file -> flat(read(file)).contains(flat(example)))
                    .map(file -> file.getFileName().toString())
                    .findFirst()
                    .orElse("in no test: " + example);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String flat(String code) {
        return INDENTATION.matcher(code).replaceAll("");
    }
}
