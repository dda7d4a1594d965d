package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tests that {@code docs/failure-modes.md} names are there, and no failure mode is left out. */
class FailureModesGuideTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Path CONTRACTS = HOME.resolve("testkit/src/main/java/io/pigeonhole/testkit/contract");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([A-K]\\d+) \\|.*$");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Tests?|IT|Contract))(?:\\.(\\w+))?`");

    private final String guide = read(HOME.resolve("docs/failure-modes.md"));

    @Test
    void everyTestIsThere() throws IOException {
        Map<String, String> sources = sourcesOfTests();
        List<MatchResult> named = TEST.matcher(guide).results().toList();
        assertThat(named).hasSizeGreaterThan(150);
        Set<String> missing = new TreeSet<>();
        for (MatchResult test : named) {
            String source = sources.getOrDefault(test.group(1), "");
            String method = test.group(2);
            if (source.isEmpty() || (method != null && !declares(source, method))) {
                missing.add(test.group());
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyFailureModeHasOneRow() {
        List<String> ids = ROW.matcher(guide).results().map(row -> row.group(1)).toList();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(ids)
                .containsAll(ids("F%02d", 74))
                .containsAll(ids("A%d", 16))
                .containsAll(ids("B%d", 11))
                .containsAll(ids("C%d", 8))
                .containsAll(ids("D%d", 12))
                .containsAll(ids("E%d", 19))
                .containsAll(ids("G%d", 18))
                .containsAll(ids("K%d", 18));
    }

    @Test
    void everyRowNamesATestOrSaysThatThereIsNone() {
        assertThat(ROW.matcher(guide).results().map(MatchResult::group))
                .allMatch(row -> TEST.matcher(row).find() || row.contains("*Not covered:*"));
    }

    private static boolean declares(String source, String method) {
        return Pattern.compile("\\b(void|Stream<DynamicTest>) " + method + "\\(")
                .matcher(source)
                .find();
    }

    private static List<String> ids(String form, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(form::formatted).toList();
    }

    private static Map<String, String> sourcesOfTests() throws IOException {
        return SourceFiles.below(HOME).stream()
                .filter(file -> file.startsWith(CONTRACTS)
                        || HOME.relativize(file).toString().contains("/src/test/java/"))
                .collect(Collectors.toMap(
                        file -> file.getFileName().toString().replace(".java", ""),
                        FailureModesGuideTest::read,
                        (one, other) -> one + other));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
