package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.LogPosition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A process of its own that reads a log and is halted at a point of a story. Nobody remembers for it where it was: whoever
 * comes after it reads on from the watermark, and from nowhere else.
 */
record LogDeath(Deduplication by, Story story, CrashPoint point, int passage) {
    private static final LogPartition PARTITION = new LogPartition("stories", 0);
    private static final String LOG = "log:of stories";

    private static final int IN_ONE_PROCESS = 8;

    /** Where it matters whether the watermark and the effects are one. */
    private static final Set<CrashPoint> ALWAYS = EnumSet.of(CrashPoint.AFTER_ADVANCE, CrashPoint.AFTER_COMMIT);

    /** What is left of it. */
    record Corpse(int exitCode, String output) {}

    /** Every point of every way, at its first and its last passage, each once; and those that matter in every story. */
    static List<LogDeath> all() {
        List<LogDeath> deaths = new ArrayList<>();
        Set<CrashPoint> seen = EnumSet.noneOf(CrashPoint.class);
        for (Deduplication by : List.of(Deduplication.WATERMARKS, Deduplication.HYBRID)) {
            for (Story story : by == Deduplication.HYBRID ? EnumSet.of(Story.REPLAY) : EnumSet.allOf(Story.class)) {
                CrashPlan passed = tellInMemory(by, story);
                for (CrashPoint point : CrashPoint.values()) {
                    int last = passed.passages(point);
                    boolean first = last > 0 && seen.add(point);
                    if (first || (last > 0 && ALWAYS.contains(point))) {
                        deaths.add(new LogDeath(by, story, point, last));
                    }
                    if (first && last > 1) {
                        deaths.add(new LogDeath(by, story, point, 1));
                    }
                }
            }
        }
        return deaths;
    }

    private static CrashPlan tellInMemory(Deduplication by, Story story) {
        CrashPlan plan = CrashPlan.none();
        Inbox<InMemoryContext> inbox = inbox(
                by,
                new CrashingStore<>(InMemoryStore.create(), plan),
                "in memory",
                plan.handler((payload, context) -> {}));
        read(inbox, story, "in memory");
        return plan;
    }

    static <C extends HandlerContext> Inbox<C> inbox(
            Deduplication by, InboxStore<C> store, String run, Handler<String, C> write) {
        return Story.builder(store, run, write).deduplication(by).build();
    }

    /** Reads on from the watermark; what is before it is never seen again. */
    static void read(Inbox<?> inbox, Story story, String run) {
        Watermark owner = inbox.forSources().acquire(PARTITION, LOG);
        if (!owner.hasPosition()) {
            owner = inbox.forSources().beginAt(owner, 0);
        }
        List<Message> left = new ArrayList<>();
        List<Message> messages = story.messages(run);
        for (int i = (int) owner.position(); i < messages.size(); i++) {
            Message message = messages.get(i);
            left.add(Message.builder(PARTITION.source())
                    .id(message.id())
                    .type(message.type())
                    .payload(message.payload())
                    .logPosition(new LogPosition(LOG, PARTITION.partition(), i, -1, owner.assignment(), i))
                    .build());
        }
        assertThat(inbox.process(left)).allMatch(outcome -> outcome.settled());
    }

    String run() {
        return "log " + by + " " + story + " " + point + " " + passage;
    }

    /** Those that one process dies of together: of the same deduplication. */
    static List<List<LogDeath>> groups(List<LogDeath> deaths) {
        List<List<LogDeath>> groups = new ArrayList<>();
        for (Deduplication by : Deduplication.values()) {
            groups.addAll(CrashGroups.ofSize(
                    IN_ONE_PROCESS,
                    deaths.stream().filter(death -> death.by == by).toList()));
        }
        return groups;
    }

    /** One process dies of all these deaths. */
    static Corpse die(List<LogDeath> group, Database database, Path directory)
            throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of(database.url(), group.get(0).by.name()));
        group.forEach(
                death -> arguments.addAll(GroupHalt.arguments(death.story, death.run(), death.point, death.passage)));
        Path output = directory.resolve(group.get(0).run().replace(' ', '-') + ".out");
        ChildJvm child = ChildJvm.start(DyingLogReader.class, output, arguments);
        return new Corpse(child.exitCode(), child.output());
    }

    void assertEveryMessageTakesEffectOnce(Database database, Corpse corpse) {
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);
        Inbox<JdbcContext> inbox = inbox(
                by,
                JdbcStore.create(database.dataSource()),
                run(),
                (payload, context) -> Database.write(context, run()));
        read(inbox, story, run());
        EffectsChecker.expecting(story.ids(run()))
                .effects(database.effects(run()))
                .parked(database.parked(run()))
                .dead(database.dead(run()))
                .check()
                .assertExactlyOnce();
        assertThat(database.parked(run())).containsExactlyInAnyOrderElementsOf(story.ids(run(), "failing"));
        assertThat(inbox.forSources().acquire(PARTITION, LOG).position())
                .isEqualTo(story.messages(run()).size());
    }

    @Override
    public String toString() {
        return run();
    }
}
