package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.memory.InMemoryStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process of its own is halted at every point of every way that a message takes after it was delivered: parked, retried,
 * leased, given up on, reopened. Another process then tells the same story again, as a broker and the workers of another
 * node would. Nothing may be lost, repeated, stuck or out of order.
 */
class WorkCrashIT {
    /** More than one, so that the start of one process overlaps the death of another, and leases run out side by side. */
    private static final int AT_ONCE = 4;

    /** The first passages of a point are those of first attempts, the later ones those of second attempts. */
    private static final List<Integer> PASSAGES = List.of(1, 2, 4);

    private static final Map<Death, Future<String>> DEATHS = new LinkedHashMap<>();
    private static final Map<WorkStory, CrashPlan> IN_MEMORY = new EnumMap<>(WorkStory.class);
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(AT_ONCE);
    private static Database database;

    private record Death(WorkStory story, CrashPoint point, int passage) {
        String run() {
            return story + " " + point + " " + passage;
        }

        @Override
        public String toString() {
            return run();
        }
    }

    @BeforeAll
    static void killAll() throws IOException {
        database = new Database();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "work-crash-");
        deaths().forEach(death -> DEATHS.put(death, EXECUTOR.submit(() -> killAndGoOn(death, directory))));
    }

    @AfterAll
    static void close() {
        EXECUTOR.shutdownNow();
        database.close();
    }

    private static String killAndGoOn(Death death, Path directory) throws Exception {
        Path output = directory.resolve(death.run().replace(' ', '-') + ".out");
        ChildJvm child = ChildJvm.start(
                WorkingProcess.class,
                output,
                List.of(
                        database.url(),
                        death.story().name(),
                        death.run(),
                        death.point().name(),
                        "" + death.passage()));
        assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
        WorkingProcess.tell(death.story(), database.dataSource(), death.run(), CrashPlan.none());
        return child.output();
    }

    static Stream<Death> deaths() {
        List<Death> deaths = new ArrayList<>();
        for (WorkStory story : WorkStory.values()) {
            CrashPlan passed = IN_MEMORY.computeIfAbsent(story, WorkCrashIT::tellInMemory);
            for (CrashPoint point : CrashPoint.values()) {
                PASSAGES.stream()
                        .filter(passage -> passage <= passed.passages(point))
                        .filter(passage -> passage == 1 || !isHeartbeat(point))
                        .forEach(passage -> deaths.add(new Death(story, point, passage)));
            }
        }
        return deaths.stream();
    }

    /** How often it comes is a matter of time. */
    private static boolean isHeartbeat(CrashPoint point) {
        return point == CrashPoint.BEFORE_HEARTBEAT || point == CrashPoint.AFTER_HEARTBEAT;
    }

    private static CrashPlan tellInMemory(WorkStory story) {
        CrashPlan plan = CrashPlan.none();
        story.tell(
                new CrashingStore<>(InMemoryStore.create(), plan),
                "in memory",
                plan,
                (payload, context) -> {},
                (message, key) -> {});
        return plan;
    }

    /** What is left is told by the stories of first deliveries. */
    @Test
    void noPointOfTheWaysAfterADeliveryIsLeftOut() {
        Set<CrashPoint> points = EnumSet.noneOf(CrashPoint.class);
        deaths().forEach(death -> points.add(death.point()));
        assertThat(EnumSet.complementOf(EnumSet.copyOf(points)))
                .containsExactlyInAnyOrder(
                        CrashPoint.BEFORE_KNOWN,
                        CrashPoint.AFTER_KNOWN,
                        CrashPoint.BEFORE_RECORD,
                        CrashPoint.AFTER_RECORD);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void nothingIsLostRepeatedStuckOrOutOfOrderWhenAProcessDiesAt(Death death) throws Exception {
        String output = Objects.requireNonNull(DEATHS.get(death)).get(8, TimeUnit.MINUTES);
        WorkStory story = death.story();
        String run = death.run();

        EffectsChecker.expecting(story.ids(run))
                .effects(database.effects(run))
                .dead(database.dead(run))
                .unfinished(database.unfinished(run))
                .check()
                .assertExactlyOnce();
        assertThat(database.dead(run)).as(output).containsExactlyElementsOf(story.ids(run, "hopeless"));
        assertThat(database.foreignKeysPerMessage(run)).allMatch(keys -> keys == 1);
        assertInOrderOfKeys(story, run);
        if (!story.isUnderLease() && story != WorkStory.REOPENED) {
            assertThat(database.failedAttempts(run))
                    .as("a crash adds no attempt, and takes none away")
                    .isEqualTo(1 + WorkStory.ATTEMPTS);
        }
    }

    private static void assertInOrderOfKeys(WorkStory story, String run) {
        Map<String, List<String>> expected = new LinkedHashMap<>();
        story.messages(run)
                .forEach(message -> expected.computeIfAbsent(
                                Arrays.toString(message.orderingKey()), key -> new ArrayList<>())
                        .add(WorkStory.id(message)));
        List<String> effects = database.effects(run);
        expected.values().forEach(ofKey -> {
            List<String> inOrder = effects.stream().filter(ofKey::contains).toList();
            assertThat(inOrder).isSortedAccordingTo((one, other) -> ofKey.indexOf(one) - ofKey.indexOf(other));
        });
    }
}
