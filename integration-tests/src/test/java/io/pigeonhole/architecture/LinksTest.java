package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a guide links to is there: the file, and the heading in it. */
class LinksTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$|`[^`\\n]+`");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$");

    @Test
    void linkToAnotherPageOrAHeadingLeadsThere() throws IOException {
        List<Path> guides = guides();
        Set<String> broken = new TreeSet<>();
        for (Path guide : guides) {
            CODE.matcher(Files.readString(guide))
                    .replaceAll("")
                    .lines()
                    .flatMap(line -> LINK.matcher(line).results())
                    .filter(link -> isBroken(guide, link))
                    .forEach(link -> broken.add(HOME.relativize(guide) + ": " + link.group()));
        }
        assertThat(guides).hasSizeGreaterThan(30);
        assertThat(broken).isEmpty();
    }

    @Test
    void brokenLinksAreSeen() {
        Path readme = HOME.resolve("README.md");

        assertThat(LINK.matcher("[a](docs/nowhere.md) [b](#nowhere) [c](docs/retention.md#nowhere)")
                        .results())
                .hasSize(3)
                .allMatch(link -> isBroken(readme, link));
        assertThat(LINK.matcher("[a](docs/retention.md) [b](#modules) [c](docs/retention.md#the-guard)")
                        .results())
                .hasSize(3)
                .noneMatch(link -> isBroken(readme, link));
    }

    private static boolean isBroken(Path guide, MatchResult link) {
        String address = link.group(1);
        if (address.contains("://") || address.startsWith("mailto:")) {
            return false;
        }
        Path target = address.isEmpty() ? guide : guide.resolveSibling(address).normalize();
        if (!Files.exists(target)) {
            return true;
        }
        return link.group(2) != null && !anchors(target).contains(link.group(2));
    }

    /** As GitHub makes them: small letters, hyphens for blanks, nothing else but digits and underscores. */
    private static Set<String> anchors(Path page) {
        String text;
        try {
            text = BLOCK.matcher(Files.readString(page)).replaceAll("");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return HEADING.matcher(text)
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static List<Path> guides() throws IOException {
        try (Stream<Path> docs = Files.walk(HOME.resolve("docs"));
                Stream<Path> top = Files.list(HOME)) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }
}
