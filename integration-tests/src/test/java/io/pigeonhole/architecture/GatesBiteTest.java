package io.pigeonhole.architecture;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every rule is broken once, on purpose, and must say so: a rule that cannot fail is no rule. */
class GatesBiteTest {
    private static final String ROOT = GatesBiteTest.class.getPackageName() + ".violations";
    private static final JavaClasses VIOLATIONS = new ClassFileImporter().importPackages(ROOT);
    private static final Map<String, ArchRule> RULES = ArchitectureRules.below(ROOT);

    /** For each rule the texts of which exactly one occurs in each complaint, and each in at least one. */
    private static final Map<String, List<String>> COMPLAINTS = Map.ofEntries(
            Map.entry("core knows no other module", List.of("core.arrow.KnowsJdbc.")),
            Map.entry("jdbc knows core and no other module", List.of("jdbc.arrow.KnowsKafka.")),
            Map.entry("jackson knows core and no other module", List.of("jackson.arrow.KnowsJdbc.")),
            Map.entry("kafka knows core and no other module", List.of("kafka.arrow.KnowsJackson.")),
            Map.entry("rabbitmq knows core and no other module", List.of("rabbitmq.arrow.KnowsKafka.")),
            Map.entry("sqs knows core and no other module", List.of("sqs.arrow.KnowsKafka.")),
            Map.entry("http knows core and no other module", List.of("http.arrow.KnowsKafka.")),
            Map.entry("testkit knows core and no other module", List.of("testkit.arrow.KnowsJdbc.")),
            Map.entry("core needs slf4j and nothing else", List.of("core.foreign.UsesLogback.")),
            Map.entry("core does not know JDBC", List.of("core.sql.KnowsConnection.", "core.sql.KnowsDataSource.")),
            Map.entry("no module knows a driver", List.of("jdbc.driver.KnowsThePostgresDriver.")),
            Map.entry("what users of jdbc call knows nothing behind it", List.of("jdbc.KnowsGeneric.")),
            Map.entry("the two hot paths of jdbc never meet", List.of("jdbc.postgresql.MeetsGeneric.")),
            Map.entry("packages form no cycle", List.of("core.ring.left -> ", "core.ring.right -> ")),
            Map.entry(
                    "only the package core.time reads the system clock",
                    List.of(
                            "ReadsTheClock.millis()",
                            "ReadsTheClock.instant()",
                            "ReadsTheClock.reference()",
                            "ReadsTheClock.inZone()",
                            "ReadsTheClock.clock()",
                            "ReadsTheClock.ticks()",
                            "ReadsTheClock.date()",
                            "ReadsTheClock.calendar()")),
            Map.entry("nothing sleeps", List.of("Sleeps.onTheThread()", "Sleeps.byTheUnit()")),
            Map.entry("every package is null-marked", List.of("core.unmarked.Unmarked ")),
            Map.entry("every package is named after a feature", List.of("core.util.", "jdbc.internal.")),
            Map.entry(
                    "public names are words of the field",
                    List.of(
                            "core.words.TwinDesk is",
                            "TwinDesk.STAYS_DEAD is",
                            "TwinDesk.buryAll() is",
                            "TwinDesk.handleAll() is")));

    @TestFactory
    Stream<DynamicTest> everyRuleFailsOnItsSeedAndOnNothingElse() {
        return COMPLAINTS.entrySet().stream()
                .map(seed -> dynamicTest(seed.getKey(), () -> complains(seed.getKey(), seed.getValue())));
    }

    @Test
    void everyRuleHasASeed() {
        assertThat(COMPLAINTS.keySet()).isEqualTo(RULES.keySet());
    }

    private static void complains(String rule, List<String> texts) {
        List<String> complaints = requireNonNull(RULES.get(rule), "no such rule")
                .evaluate(VIOLATIONS)
                .getFailureReport()
                .getDetails();
        assertThat(complaints).allSatisfy(complaint -> assertThat(texts).anyMatch(complaint::contains));
        assertThat(texts).allSatisfy(text -> assertThat(complaints).anyMatch(complaint -> complaint.contains(text)));
    }
}
