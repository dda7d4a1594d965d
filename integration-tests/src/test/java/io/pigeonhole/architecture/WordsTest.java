package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The guides use the words of the field; public names do by a rule of {@link ArchitectureRules}. */
class WordsTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Path SEEDS = Path.of("src/test/resources/violations/guide.md");

    @Test
    void guidesHaveNoWordsOfOurOwn() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        List<Path> guides = guides();
        for (Path guide : guides) {
            List<String> words = Words.in(Files.readString(guide));
            if (!words.isEmpty()) {
                found.put(HOME.relativize(guide).toString(), words);
            }
        }
        assertThat(guides).hasSizeGreaterThan(30);
        assertThat(found).isEmpty();
    }

    /** A seed in each line of the list, and in nothing else. */
    @Test
    void everyWordIsFoundInTheGuideOfSeeds() throws IOException {
        List<String> lines = Files.readAllLines(SEEDS);
        List<String> seeds =
                lines.stream().filter(line -> line.startsWith("- ")).toList();
        assertThat(seeds).allSatisfy(seed -> assertThat(Words.in(seed)).as(seed).hasSize(1));
        assertThat(lines.stream().filter(line -> !line.startsWith("- ")).toList())
                .allSatisfy(line -> assertThat(Words.in(line)).as(line).isEmpty());
        assertThat(Stream.concat(Words.OURS.stream(), Words.OUR_NAMES.stream()))
                .allSatisfy(word -> assertThat(seeds.stream().flatMap(seed -> Words.in(seed).stream()))
                        .as(word)
                        .anyMatch(found -> found.matches(word)));
    }

    @Test
    void wordsThatOnlyLookLikeThemPass() {
        assertThat(Words.in("between better alphabets, a round trip and round trips, a desktop; `roundTrips()`"))
                .isEmpty();
        assertThat(Words.in("[ADR 15](adr/0015-claims-that-bet.md)")).isEmpty();
    }

    private static List<Path> guides() throws IOException {
        try (Stream<Path> docs = Files.walk(HOME.resolve("docs"))) {
            return Stream.concat(Stream.of(HOME.resolve("README.md")), docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }
}
