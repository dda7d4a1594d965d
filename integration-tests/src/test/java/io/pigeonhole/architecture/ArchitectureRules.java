package io.pigeonhole.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Clock;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * The rules, by name, for the modules below a root package: {@code io.pigeonhole} for the real thing, the package of the
 * seeded violations for the proof that a rule can fail.
 */
final class ArchitectureRules {
    private static final List<String> NOWHERE_NAMES = List.of("util", "utils", "common", "impl", "internal");

    private final String root;

    private ArchitectureRules(String root) {
        this.root = root;
    }

    static Map<String, ArchRule> below(String root) {
        return new ArchitectureRules(root).all();
    }

    private Map<String, ArchRule> all() {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put("core knows no other module", onlyKnows("core"));
        for (String adapter : List.of("jdbc", "jackson", "kafka", "rabbitmq", "sqs", "http", "testkit")) {
            rules.put(adapter + " knows core and no other module", onlyKnows(adapter, "core"));
        }
        rules.put("core needs slf4j and nothing else", coreNeedsSlf4jOnly());
        rules.put("core does not know JDBC", coreIsFreeOfJdbc());
        rules.put("no module knows a driver", noDriver());
        rules.put("packages form no cycle", noCycle());
        rules.put("what users of jdbc call knows nothing behind it", jdbcApiKnowsNothingBehindIt());
        rules.put("the two hot paths of jdbc never meet", hotPathsNeverMeet());
        rules.put("only the package core.time reads the system clock", oneClock());
        rules.put("nothing sleeps", nothingSleeps());
        rules.put("every package is null-marked", nullMarked());
        rules.put("every package is named after a feature", namedAfterFeatures());
        rules.put("public names are words of the field", namedInWordsOfTheField());
        rules.replaceAll((name, rule) -> rule.as(name).allowEmptyShould(true));
        return Collections.unmodifiableMap(rules);
    }

    private ArchRule onlyKnows(String module, String... others) {
        String[] known = Arrays.stream(others).map(this::module).toArray(String[]::new);
        DescribedPredicate<JavaClass> strangers = resideInAPackage(root + "..")
                .and(not(resideInAPackage(module(module))))
                .and(not(resideInAnyPackage(known)));
        return noClasses().that().resideInAPackage(module(module)).should().dependOnClassesThat(strangers);
    }

    private ArchRule coreNeedsSlf4jOnly() {
        return classes()
                .that()
                .resideInAPackage(module("core"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..", "javax..", "org.slf4j..", "org.jspecify.annotations..", root + "..")
                        .or(describe("are primitive", JavaClass::isPrimitive)));
    }

    private ArchRule coreIsFreeOfJdbc() {
        return noClasses()
                .that()
                .resideInAPackage(module("core"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..");
    }

    private ArchRule noDriver() {
        return noClasses()
                .that()
                .resideInAnyPackage(published())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.postgresql..", "org.mariadb..", "com.mysql..", "org.h2..");
    }

    private ArchRule noCycle() {
        return slices().assignedFrom(new EveryPackageIsASlice(root)).should().beFreeOfCycles();
    }

    /** Those who choose what is behind it are the store and the schema. */
    private ArchRule jdbcApiKnowsNothingBehindIt() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".jdbc")
                .and(not(describe("choose what is behind it", type -> choosesWhatIsBehind(root, type))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".jdbc.*..");
    }

    private ArchRule hotPathsNeverMeet() {
        String generic = root + ".jdbc.generic..";
        String postgresql = root + ".jdbc.postgresql..";
        return CompositeArchRule.of(noClasses()
                        .that()
                        .resideInAPackage(generic)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(postgresql))
                .and(noClasses()
                        .that()
                        .resideInAPackage(postgresql)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(generic));
    }

    private static boolean choosesWhatIsBehind(String root, JavaClass type) {
        String name = type.getName();
        return Stream.of(".jdbc.JdbcStore", ".jdbc.Schema")
                .map(root::concat)
                .anyMatch(each -> name.equals(each) || name.startsWith(each + "$"));
    }

    private ArchRule oneClock() {
        return noClasses()
                .that()
                .resideInAnyPackage(published())
                .and()
                .resideOutsideOfPackage(root + ".core.time")
                .should()
                .accessTargetWhere(describe("reads the system clock", ArchitectureRules::readsTheSystemClock));
    }

    private ArchRule nothingSleeps() {
        return noClasses()
                .that()
                .resideInAnyPackage(published())
                .should()
                .accessTargetWhere(describe(
                        "sleeps",
                        access -> access.getName().equals("sleep")
                                && (access.getTargetOwner().isEquivalentTo(Thread.class)
                                        || access.getTargetOwner().isEquivalentTo(TimeUnit.class))));
    }

    private ArchRule nullMarked() {
        return classes()
                .that()
                .resideInAPackage(root + "..")
                .and()
                .areTopLevelClasses()
                .should(liveInANullMarkedPackage());
    }

    private ArchRule namedAfterFeatures() {
        return noClasses().that().resideInAPackage(root + "..").should(liveInAPackageNamedAfterNothing(root));
    }

    private ArchRule namedInWordsOfTheField() {
        return classes()
                .that()
                .resideInAnyPackage(published())
                .and()
                .arePublic()
                .should(haveNoWordsOfOurOwn());
    }

    private String module(String name) {
        return root + "." + name + "..";
    }

    private String[] published() {
        return Stream.of("core", "jdbc", "jackson", "kafka", "rabbitmq", "sqs", "http", "testkit")
                .map(this::module)
                .toArray(String[]::new);
    }

    private static boolean readsTheSystemClock(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        String target = access.getTarget().getFullName();
        if (owner.isEquivalentTo(System.class)) {
            return name.equals("currentTimeMillis");
        }
        if (owner.isEquivalentTo(Clock.class)) {
            return name.startsWith("system") || name.startsWith("tick");
        }
        if (owner.isEquivalentTo(Date.class)) {
            return target.endsWith("<init>()");
        }
        if (owner.isEquivalentTo(Calendar.class)) {
            return name.equals("getInstance");
        }
        return owner.getPackageName().startsWith("java.time")
                && name.equals("now")
                && !target.contains("java.time.Clock");
    }

    private static ArchCondition<JavaClass> liveInANullMarkedPackage() {
        return new ArchCondition<>("live in a package with @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(new SimpleConditionEvent(
                        type,
                        marked,
                        type.getName() + " is in a package without @NullMarked in its package-info.java"));
            }
        };
    }

    private static ArchCondition<JavaClass> liveInAPackageNamedAfterNothing(String root) {
        return new ArchCondition<>("live in a package named after nothing") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String below = type.getPackageName().substring(root.length());
                boolean nowhere = Arrays.stream(below.split("\\.", -1)).anyMatch(NOWHERE_NAMES::contains);
                events.add(new SimpleConditionEvent(
                        type, nowhere, type.getName() + " is in a package that says nothing: " + NOWHERE_NAMES));
            }
        };
    }

    private static ArchCondition<JavaClass> haveNoWordsOfOurOwn() {
        return new ArchCondition<>("have no words of our own") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                check(type, type.getSimpleName(), type.getName(), events);
                type.getMembers().stream()
                        .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC))
                        .forEach(member -> check(type, member.getName(), member.getFullName(), events));
            }

            private void check(JavaClass type, String name, String fullName, ConditionEvents events) {
                List<String> words = Words.in(name);
                events.add(new SimpleConditionEvent(type, words.isEmpty(), fullName + " is named with " + words));
            }
        };
    }

    private record EveryPackageIsASlice(String root) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (choosesWhatIsBehind(root, type)) {
                // The top of its module, above packages that know the types beside it.
                return SliceIdentifier.of(name, "top");
            }
            return name.equals(root) || name.startsWith(root + ".")
                    ? SliceIdentifier.of(name)
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "every package";
        }
    }
}
