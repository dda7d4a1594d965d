package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.memory.InMemoryContext;
import io.pigeonhole.core.memory.InMemoryStore;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import io.pigeonhole.testkit.effects.EffectsReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
 * A process of its own is halted at every point of every way through the engine, at its last passage and, where no other
 * story has been there, at its first. What it did not acknowledge is delivered again; then every message must have taken
 * effect once, or be parked or dead. Which points a story passes, and how often, is learnt from a run in memory.
 */
class InlineCrashIT {
    /** More than one, so that the start of one process overlaps the death of another. */
    private static final int AT_ONCE = 3;

    private static final int MOST_DELIVERIES = 100;
    private static final Map<Death, Future<Corpse>> DEATHS = new LinkedHashMap<>();
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(AT_ONCE);
    private static Database database;

    /** Early: it acknowledges before it does anything, as it must not. */
    private record Death(Story story, CrashPoint point, int passage, boolean early) {
        String run() {
            return story + " " + point + " " + passage + (early ? " early" : "");
        }

        @Override
        public String toString() {
            return run();
        }
    }

    private record Corpse(int exitCode, Set<String> acknowledged, String output) {}

    @BeforeAll
    static void killAll() throws IOException {
        database = new Database();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "crash-");
        deaths().forEach(death -> DEATHS.put(death, EXECUTOR.submit(() -> kill(death, directory))));
    }

    @AfterAll
    static void close() {
        EXECUTOR.shutdownNow();
        database.close();
    }

    private static Corpse kill(Death death, Path directory) throws Exception {
        Path acknowledged = directory.resolve(death.run().replace(' ', '-') + ".acknowledged");
        Path output = directory.resolve(death.run().replace(' ', '-') + ".out");
        List<String> arguments = new ArrayList<>(List.of(
                database.url(),
                death.story().name(),
                death.run(),
                death.point().name(),
                "" + death.passage(),
                acknowledged.toString()));
        if (death.early()) {
            arguments.add("early");
        }
        ChildJvm child = ChildJvm.start(DyingProcess.class, output, arguments);
        int exitCode = child.exitCode();
        Set<String> ids = Files.exists(acknowledged)
                ? new LinkedHashSet<>(Files.readAllLines(acknowledged))
                : new LinkedHashSet<>();
        return new Corpse(exitCode, ids, child.output());
    }

    static Stream<Death> deaths() {
        List<Death> deaths = new ArrayList<>();
        Set<CrashPoint> seen = EnumSet.noneOf(CrashPoint.class);
        for (Story story : Story.values()) {
            CrashPlan passed = tellInMemory(story);
            for (CrashPoint point : CrashPoint.values()) {
                int last = passed.passages(point);
                if (last > 0) {
                    deaths.add(new Death(story, point, last, false));
                    // A story begins as the one before it did.
                    if (seen.add(point) && last > 1) {
                        deaths.add(new Death(story, point, 1, false));
                    }
                }
            }
        }
        return deaths.stream();
    }

    private static CrashPlan tellInMemory(Story story) {
        InMemoryStore store = InMemoryStore.create();
        store.horizon(Instant.EPOCH, Instant.now().plus(Duration.ofDays(8)));
        CrashPlan plan = CrashPlan.none();
        Inbox<InMemoryContext> inbox =
                Story.inbox(new CrashingStore<>(store, plan), "in memory", plan.handler((payload, context) -> {}));
        List<String> settled = Story.deliver(inbox, story.messages("in memory"));
        plan.acknowledge(() -> assertThat(settled).isNotEmpty());
        return plan;
    }

    /** The points that are missing belong to what follows a delivery: WorkCrashIT. */
    @Test
    void noPointOfADeliveryIsLeftOut() {
        Set<CrashPoint> points = EnumSet.noneOf(CrashPoint.class);
        deaths().forEach(death -> points.add(death.point()));
        assertThat(points).containsAll(EnumSet.range(CrashPoint.BEFORE_BEGIN, CrashPoint.AFTER_BURY));
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyMessageTakesEffectOnceWhenAProcessDiesAt(Death death) throws Exception {
        Corpse corpse = Objects.requireNonNull(DEATHS.get(death)).get(3, TimeUnit.MINUTES);
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);
        String run = death.run();

        recover(death, corpse).assertExactlyOnce();

        assertThat(database.effects(run)).hasSameElementsAs(death.story().ids(run, "good"));
        assertThat(database.parked(run))
                .containsExactlyInAnyOrderElementsOf(death.story().ids(run, "failing"));
    }

    /** These tests can fail. */
    @Test
    void acknowledgementThatComesTooEarlyIsFoundOut() throws Exception {
        Death death = new Death(Story.TOGETHER, CrashPoint.BEFORE_COMMIT, 1, true);
        Corpse corpse = kill(death, Files.createTempDirectory(Database.directory(), "crash-"));
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);

        assertThat(recover(death, corpse).lost())
                .containsExactlyElementsOf(death.story().ids(death.run()));
    }

    private static EffectsReport recover(Death death, Corpse corpse) {
        List<String> unsettled = deliverAgain(death, corpse.acknowledged());
        return EffectsChecker.expecting(death.story().ids(death.run()))
                .effects(database.effects(death.run()))
                .parked(database.parked(death.run()))
                .dead(database.dead(death.run()))
                .unfinished(unsettled)
                .check();
    }

    /** As a broker would, until nothing is left; gives back what is left all the same. */
    private static List<String> deliverAgain(Death death, Set<String> acknowledged) {
        Inbox<JdbcContext> inbox = Story.inbox(
                JdbcStore.create(database.dataSource()),
                death.run(),
                (payload, context) -> Database.write(context, death.run()));
        List<Message> left = new ArrayList<>(death.story().messages(death.run()));
        left.removeIf(message -> acknowledged.contains(Story.id(message)));
        for (int i = 0; i < MOST_DELIVERIES && !left.isEmpty(); i++) {
            List<String> settled = Story.deliver(inbox, left);
            left.removeIf(message -> settled.contains(Story.id(message)));
        }
        return left.stream().map(Story::id).toList();
    }
}
