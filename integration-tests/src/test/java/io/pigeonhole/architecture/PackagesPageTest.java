package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes that {@code docs/glossary.md} lists are public, and in the packages that it says. */
class PackagesPageTest {
    private static final Path PAGE = Path.of("..", "docs", "glossary.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(io\\.pigeonhole[\\w.]*)` \\| (.+) \\|$");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @Test
    void everyClassIsPublicAndInItsPackage() throws IOException {
        List<String> named = ROW.matcher(Files.readString(PAGE))
                .results()
                .flatMap(row -> namesOf(row.group(1), row.group(2)))
                .toList();

        assertThat(named).hasSizeGreaterThan(60).allMatch(PackagesPageTest::isPublicClass);
    }

    @Test
    void classInAnotherPackageIsSeen() {
        assertThat(isPublicClass("io.pigeonhole.core.admin.Admin")).isTrue();
        assertThat(isPublicClass("io.pigeonhole.core.inbox.Admin")).isFalse();
        assertThat(isPublicClass("io.pigeonhole.core.inbox.InboxEngine")).isFalse();
    }

    private static Stream<String> namesOf(String packageName, String cell) {
        return NAME.matcher(cell).results().map(name -> packageName + "." + name.group(1));
    }

    private static boolean isPublicClass(String name) {
        try {
            return Modifier.isPublic(Class.forName(name, false, PackagesPageTest.class.getClassLoader())
                    .getModifiers());
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
