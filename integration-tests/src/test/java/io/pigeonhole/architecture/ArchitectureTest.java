package io.pigeonhole.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ArchitectureTest {
    private static final String ROOT = "io.pigeonhole";
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar") && !location.contains("/test-classes/"))
            .importPackages(ROOT);

    @TestFactory
    Stream<DynamicTest> theModulesObeyEveryRule() {
        return ArchitectureRules.below(ROOT).entrySet().stream()
                .map(rule -> dynamicTest(rule.getKey(), () -> rule.getValue().check(MAIN)));
    }

    @Test
    void theRulesSeeEveryModuleAndNoTest() {
        assertThat(MAIN.stream().map(type -> type.getPackageName().split("\\.", -1)[2]))
                .contains("core", "jdbc", "jackson", "kafka", "testkit", "embedded")
                .doesNotContain("architecture");
        assertThat(MAIN.contain("io.pigeonhole.jdbc.PostgresServers")).isFalse();
    }
}
