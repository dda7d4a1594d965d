package io.pigeonhole.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/plug-ins.md} are the classes of this package, from their Javadoc on. */
class PlugInGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Path SOURCES = Path.of("src/test/java/io/pigeonhole/plugin");

    @Test
    void everyExampleIsAClassThatIsCompiledAndTested() throws IOException {
        List<String> examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/plug-ins.md")))
                .results()
                .map(MatchResult::group)
                .map(example -> example.substring("```java\n".length(), example.length() - "```".length()))
                .toList();
        assertThat(examples).containsExactly(fromJavadocOn("SpoolSource.java"));
    }

    private static String fromJavadocOn(String file) throws IOException {
        String source = Files.readString(SOURCES.resolve(file));
        return source.substring(source.indexOf("/**\n"));
    }
}
