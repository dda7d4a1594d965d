package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code docs/architecture.md} names is there. */
class ArchitectureGuideTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Za-z0-9]+");
    private static final Pattern PICTURE = Pattern.compile("```mermaid(.*?)```", Pattern.DOTALL);
    private static final Pattern NAME_IN_PICTURE = Pattern.compile("[A-Z][a-z]+(?:[A-Z][a-z]+)+");

    private final String guide = read(HOME.resolve("docs/architecture.md"));

    @Test
    void everyTypeIsThere() throws IOException {
        Set<String> types = typesOfTheProject();
        Set<String> named = Stream.concat(
                        CODE.matcher(text())
                                .results()
                                .map(match -> match.group(1))
                                .filter(TYPE.asMatchPredicate()),
                        PICTURE.matcher(guide)
                                .results()
                                .flatMap(picture ->
                                        NAME_IN_PICTURE.matcher(picture.group()).results())
                                .map(MatchResult::group))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).hasSizeGreaterThan(40);
        assertThat(types).containsAll(named);
    }

    @Test
    void everyPathAndModuleIsThere() throws IOException {
        List<String> others = CODE.matcher(text())
                .results()
                .map(match -> match.group(1))
                .filter(TYPE.asMatchPredicate().negate())
                .distinct()
                .toList();
        assertThat(others).hasSizeGreaterThan(8);
        for (String other : others) {
            assertThat(isThere(other)).as(other).isTrue();
        }
    }

    @Test
    void itIsNotLongerThanTwoPages() {
        assertThat(guide.lines()).hasSizeLessThan(110);
    }

    private String text() {
        return guide.replaceAll("(?s)```.*?```", "");
    }

    private static boolean isThere(String name) throws IOException {
        if (Files.exists(HOME.resolve(name))) {
            return true;
        }
        try (Stream<Path> files = Files.walk(HOME.resolve("jdbc/src/main/resources"))) {
            return files.anyMatch(file -> file.getFileName().toString().equals(name));
        }
    }

    private static Set<String> typesOfTheProject() throws IOException {
        return SourceFiles.below(HOME).stream()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
