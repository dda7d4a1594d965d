package io.pigeonhole.architecture;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What users compile and link against is recorded in {@code config/public-api.txt}, and changes only where the record does. A run with
 * {@code -Dpublic.api.record} writes it anew; the difference belongs into the commit, the CHANGELOG and UPGRADING.
 */
class PublicApiTest {
    private static final Path RECORD =
            Path.of("..", "config", "public-api.txt").toAbsolutePath().normalize();

    /**
     * Of {@code jdbc} only this package is exported; the others are named by its module, or export all that they have, but for the
     * package {@code time} of {@code core}, which is for our own modules.
     */
    private static final Set<String> MODULES =
            Set.of("core", "jackson", "kafka", "rabbitmq", "sqs", "http", "testkit", "jdbc");

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar") && !location.contains("/test-classes/"))
            .importPackages("io.pigeonhole");

    @Test
    void publicApiIsTheRecordedOne() throws IOException {
        String now = MAIN.stream()
                .filter(PublicApiTest::isVisible)
                .sorted(Comparator.comparing(JavaClass::getName))
                .map(PublicApiTest::describe)
                .collect(joining("\n"));
        if (System.getProperty("public.api.record") != null) {
            Files.writeString(RECORD, now);
        }
        List<String> recorded = Files.readString(RECORD).lines().toList();
        assertThat(now.lines().toList()).containsExactlyElementsOf(recorded);
    }

    @Test
    void recordHasWhatUsersCallAndNothingBehindIt() throws IOException {
        assertThat(Files.readString(RECORD))
                .contains(
                        "class io.pigeonhole.core.inbox.Inbox",
                        "  static io.pigeonhole.jdbc.JdbcStore$Builder builder(javax.sql.DataSource)")
                .doesNotContain(
                        "class io.pigeonhole.core.time.",
                        "io.pigeonhole.jdbc.store.",
                        "io.pigeonhole.core.inbox.InboxEngine",
                        "access$",
                        "lambda$");
    }

    private static boolean isVisible(JavaClass type) {
        String[] names = type.getPackageName().split("\\.", -1);
        boolean isExported = names.length > 2
                && MODULES.contains(names[2])
                && (!names[2].equals("jdbc") || names.length == 3)
                && !type.getPackageName().equals("io.pigeonhole.core.time")
                && !type.getPackageName().startsWith("io.pigeonhole.testkit.internal");
        return isExported && isOpen(type);
    }

    private static boolean isOpen(JavaClass type) {
        return isOpen(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && type.getEnclosingClass().map(PublicApiTest::isOpen).orElse(true);
    }

    private static boolean isOpen(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    private static String describe(JavaClass type) {
        String kind = type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        Set<String> parents = new TreeSet<>();
        type.getRawSuperclass().map(JavaClass::getName).ifPresent(parents::add);
        type.getRawInterfaces().forEach(parent -> parents.add(parent.getName()));
        parents.remove("java.lang.Object");
        Set<String> members = new TreeSet<>();
        Stream.concat(type.getFields().stream(), type.getCodeUnits().stream())
                .filter(member -> isOpen(member.getModifiers()))
                .forEach(member -> members.add("  " + describe(member)));
        return modifiers(type.getModifiers()) + kind + " " + type.getName()
                + (parents.isEmpty() ? "" : " : " + String.join(", ", parents)) + "\n"
                + members.stream().map(member -> member + "\n").collect(joining());
    }

    private static String describe(JavaMember member) {
        String modifiers = modifiers(member.getModifiers());
        if (member instanceof JavaField field) {
            return modifiers + field.getRawType().getName() + " " + field.getName();
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        String name = unit instanceof JavaConstructor ? "new" : ((JavaMethod) unit).getName();
        String parameters =
                unit.getRawParameterTypes().stream().map(JavaClass::getName).collect(joining(", "));
        String thrown = unit.getThrowsClause().getTypes().stream()
                .map(JavaClass::getName)
                .sorted()
                .collect(joining(", "));
        return modifiers
                + (unit instanceof JavaConstructor
                        ? ""
                        : unit.getRawReturnType().getName() + " ") + name + "(" + parameters + ")"
                + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    /** Those that matter to whoever links against it. Public goes without saying. */
    private static String modifiers(Set<JavaModifier> modifiers) {
        return Stream.of(JavaModifier.PROTECTED, JavaModifier.STATIC, JavaModifier.ABSTRACT, JavaModifier.FINAL)
                .filter(modifiers::contains)
                .map(modifier -> modifier.name().toLowerCase(Locale.ROOT) + " ")
                .collect(joining());
    }
}
