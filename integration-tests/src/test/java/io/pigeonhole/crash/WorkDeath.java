package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A process of its own that is halted at a point of a way that a message takes after it was delivered. */
record WorkDeath(WorkStory story, CrashPoint point, int passage) {
    /** Runs keep their connections open until the last of them is at its point. */
    private static final int IN_ONE_PROCESS = 8;

    private static final Set<CrashPoint> WITH_A_LEASE = EnumSet.of(
            CrashPoint.AFTER_LEASE,
            CrashPoint.BEFORE_HANDLER,
            CrashPoint.AFTER_HANDLER,
            CrashPoint.BEFORE_HOLD,
            CrashPoint.AFTER_HOLD);

    private static final Map<WorkStory, CrashPlan> IN_MEMORY = new EnumMap<>(WorkStory.class);

    /** Every point of every story. */
    static synchronized List<WorkDeath> all() {
        List<WorkDeath> deaths = new ArrayList<>();
        for (WorkStory story : WorkStory.values()) {
            CrashPlan passed = IN_MEMORY.computeIfAbsent(story, WorkDeath::tellInMemory);
            for (CrashPoint point : CrashPoint.values()) {
                passages(point, passed.passages(point))
                        .forEach(passage -> deaths.add(new WorkDeath(story, point, passage)));
            }
        }
        return deaths;
    }

    /** The first, and a later one: by then messages are done, and attempts are second ones. */
    private static Set<Integer> passages(CrashPoint point, int passed) {
        if (passed == 0) {
            return Set.of();
        }
        return passed == 1 || isHeartbeat(point) ? Set.of(1) : new TreeSet<>(List.of(1, passed < 4 ? 2 : 4));
    }

    /** How often it comes is a matter of time. */
    private static boolean isHeartbeat(CrashPoint point) {
        return point == CrashPoint.BEFORE_HEARTBEAT || point == CrashPoint.AFTER_HEARTBEAT;
    }

    private boolean hasLease() {
        return story.isUnderLease() && WITH_A_LEASE.contains(point);
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

    String run() {
        return story + " " + point + " " + passage;
    }

    /**
     * Those that one process dies of together: of the same story. Heartbeats die alone, because their time is another thread's,
     * and so does whoever has a lease, because it would grow old while others come to their points.
     */
    static List<List<WorkDeath>> groups(List<WorkDeath> deaths) {
        List<List<WorkDeath>> groups = new ArrayList<>();
        Map<WorkStory, List<WorkDeath>> open = new EnumMap<>(WorkStory.class);
        for (WorkDeath death : deaths) {
            if (isHeartbeat(death.point) || death.hasLease()) {
                groups.add(List.of(death));
                continue;
            }
            List<WorkDeath> group = open.computeIfAbsent(death.story, story -> new ArrayList<>());
            group.add(death);
            if (group.size() == IN_ONE_PROCESS) {
                groups.add(List.copyOf(group));
                group.clear();
            }
        }
        open.values().stream().filter(group -> !group.isEmpty()).forEach(groups::add);
        return groups;
    }

    /** One process dies of all these deaths. Answers what it said. */
    static String die(List<WorkDeath> group, Database database, Path directory)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(database.url()));
        group.forEach(
                death -> arguments.addAll(GroupHalt.arguments(death.story, death.run(), death.point, death.passage)));
        Path output = directory.resolve(group.get(0).run().replace(' ', '-') + ".out");
        ChildJvm child = ChildJvm.start(WorkingProcess.class, output, arguments);
        assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
        return child.output();
    }

    /** Works on the same messages as a process that is started after the crash. */
    void recover(Database database) {
        WorkingProcess.tell(story, database.dataSource(), run(), CrashPlan.none());
    }

    void assertNothingIsLostRepeatedStuckOrOutOfOrder(Database database, String output) {
        EffectsChecker.expecting(story.ids(run()))
                .effects(database.effects(run()))
                .dead(database.dead(run()))
                .unfinished(database.unfinished(run()))
                .check()
                .assertExactlyOnce();
        assertThat(database.dead(run())).as(output).containsExactlyElementsOf(story.ids(run(), "hopeless"));
        assertThat(database.foreignKeysPerMessage(run())).allMatch(keys -> keys == 1);
        assertInOrderOfKeys(database);
        if (!story.isUnderLease() && story != WorkStory.REOPENED) {
            assertThat(database.failedAttempts(run()))
                    .as("a crash adds no attempt, and takes none away")
                    .isEqualTo(1 + WorkStory.ATTEMPTS);
        }
    }

    private void assertInOrderOfKeys(Database database) {
        Map<String, List<String>> expected = new LinkedHashMap<>();
        story.messages(run())
                .forEach(message -> expected.computeIfAbsent(
                                Arrays.toString(message.orderingKey()), key -> new ArrayList<>())
                        .add(WorkStory.id(message)));
        List<String> effects = database.effects(run());
        expected.values().forEach(ofKey -> {
            List<String> inOrder = effects.stream().filter(ofKey::contains).toList();
            assertThat(inOrder).isSortedAccordingTo((one, other) -> ofKey.indexOf(one) - ofKey.indexOf(other));
        });
    }

    @Override
    public String toString() {
        return run();
    }
}
