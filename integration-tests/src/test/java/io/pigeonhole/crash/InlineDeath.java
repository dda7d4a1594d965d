package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import io.pigeonhole.testkit.effects.EffectsReport;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
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

/**
 * A process of its own that is halted at a point of a story.
 *
 * @param early whether it acknowledges before it does anything, as it must not
 */
record InlineDeath(Story story, CrashPoint point, int passage, boolean early) {
    private static final int MOST_DELIVERIES = 100;

    /** What is left of it. */
    record Corpse(int exitCode, Set<String> acknowledged, String output) {}

    /**
     * Every point of every way through the engine, at its last passage and, where no other story has been there, at its
     * first. Which points a story passes, and how often, is learnt from a run in memory.
     */
    static List<InlineDeath> all() {
        List<InlineDeath> deaths = new ArrayList<>();
        Set<CrashPoint> seen = EnumSet.noneOf(CrashPoint.class);
        for (Story story : Story.values()) {
            CrashPlan passed = tellInMemory(story);
            for (CrashPoint point : CrashPoint.values()) {
                int last = passed.passages(point);
                if (last > 0) {
                    deaths.add(new InlineDeath(story, point, last, false));
                    // A story begins as the one before it did.
                    if (seen.add(point) && last > 1) {
                        deaths.add(new InlineDeath(story, point, 1, false));
                    }
                }
            }
        }
        return deaths;
    }

    private static CrashPlan tellInMemory(Story story) {
        InMemoryStore store = InMemoryStore.create();
        store.ledgerBounds(Instant.EPOCH, Instant.now().plus(Duration.ofDays(8)));
        CrashPlan plan = CrashPlan.none();
        Inbox<InMemoryContext> inbox =
                Story.inbox(new CrashingStore<>(store, plan), "in memory", plan.handler((payload, context) -> {}));
        List<String> settled = Story.deliver(inbox, story.messages("in memory"));
        plan.acknowledge(() -> assertThat(settled).isNotEmpty());
        return plan;
    }

    String run() {
        return story + " " + point + " " + passage + (early ? " early" : "");
    }

    /** One process dies of all these deaths, which are all early or all not. */
    static Map<InlineDeath, Corpse> die(List<InlineDeath> group, Database database, Path directory)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of(database.url(), directory.toString(), group.get(0).early ? "early" : "in time"));
        group.forEach(
                death -> arguments.addAll(GroupHalt.arguments(death.story, death.run(), death.point, death.passage)));
        Path output = directory.resolve(group.get(0).run().replace(' ', '-') + ".out");
        ChildJvm child = ChildJvm.start(DyingProcess.class, output, arguments);
        int exitCode = child.exitCode();
        Map<InlineDeath, Corpse> corpses = new LinkedHashMap<>();
        for (InlineDeath death : group) {
            Path acknowledged = acknowledged(directory, death.run());
            Set<String> ids = Files.exists(acknowledged)
                    ? new LinkedHashSet<>(Files.readAllLines(acknowledged))
                    : new LinkedHashSet<>();
            corpses.put(death, new Corpse(exitCode, ids, child.output()));
        }
        return corpses;
    }

    Corpse die(Database database, Path directory) throws IOException, InterruptedException {
        return Objects.requireNonNull(die(List.of(this), database, directory).get(this));
    }

    /** Where a run writes down what it acknowledges. */
    static Path acknowledged(Path directory, String run) {
        return directory.resolve(run.replace(' ', '-') + ".acknowledged");
    }

    /** Delivers again what was not acknowledged, and looks whether every message took effect once, or is parked or dead. */
    void assertEveryMessageTakesEffectOnce(Database database, Corpse corpse) {
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);

        recover(database, corpse).assertExactlyOnce();

        assertThat(database.effects(run())).hasSameElementsAs(story.ids(run(), "good"));
        assertThat(database.parked(run())).containsExactlyInAnyOrderElementsOf(story.ids(run(), "failing"));
    }

    EffectsReport recover(Database database, Corpse corpse) {
        List<String> unsettled = deliverAgain(database, corpse.acknowledged());
        return EffectsChecker.expecting(story.ids(run()))
                .effects(database.effects(run()))
                .parked(database.parked(run()))
                .dead(database.dead(run()))
                .unfinished(unsettled)
                .check();
    }

    Inbox<JdbcContext> inbox(Database database) {
        return Story.inbox(
                JdbcStore.create(database.dataSource()), run(), (payload, context) -> Database.write(context, run()));
    }

    /** As a broker would, until nothing is left; gives back what is left all the same. */
    private List<String> deliverAgain(Database database, Set<String> acknowledged) {
        Inbox<JdbcContext> inbox = inbox(database);
        List<Message> left = new ArrayList<>(story.messages(run()));
        left.removeIf(message -> acknowledged.contains(Story.id(message)));
        for (int i = 0; i < MOST_DELIVERIES && !left.isEmpty(); i++) {
            List<String> settled = Story.deliver(inbox, left);
            left.removeIf(message -> settled.contains(Story.id(message)));
        }
        return left.stream().map(Story::id).toList();
    }

    @Override
    public String toString() {
        return run();
    }
}
