package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A process of its own that is halted at a point of the way of messages from the outbox to the broker. */
record RelayDeath(CrashPoint point, int passage) {
    /** A database knows of most batches that no key is blocked. */
    private static final Set<CrashPoint> OFTEN_IN_MEMORY = EnumSet.of(
            CrashPoint.BEFORE_BLOCKED, CrashPoint.AFTER_BLOCKED, CrashPoint.BEFORE_LOCK, CrashPoint.AFTER_LOCK);

    /** Every point that a relay passes: the first times, and later, when the broker has refused messages. */
    static List<RelayDeath> all() {
        CrashPlan passed = publishInMemory();
        List<RelayDeath> deaths = new ArrayList<>();
        for (CrashPoint point : CrashPoint.values()) {
            int passages = Math.min(passed.passages(point), OFTEN_IN_MEMORY.contains(point) ? 1 : Integer.MAX_VALUE);
            if (passages > 0) {
                new TreeSet<>(List.of(1, Math.min(passages, 2), (passages + 1) / 2, Math.max(1, passages - 2)))
                        .forEach(passage -> deaths.add(new RelayDeath(point, passage)));
            }
        }
        return deaths;
    }

    private static CrashPlan publishInMemory() {
        CrashPlan plan = CrashPlan.none();
        InMemoryStore store = InMemoryStore.create();
        RelayStory.append(store, "in memory");
        Set<Message> refused = new HashSet<>();
        RelayStory.publish(new CrashingStore<>(store, plan), "in memory", plan, new RelayStory.Broker() {
            @Override
            public void keep(Message message) {}

            @Override
            public boolean hasRefused(Message message) {
                return !refused.add(message);
            }
        });
        return plan;
    }

    String run() {
        return "relay " + point + " " + passage;
    }

    /** One process dies of all these deaths, each of a destination of its own. Answers what it said. */
    static String die(List<RelayDeath> group, Database database, Path directory)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(database.url()));
        group.forEach(death -> {
            RelayStory.append(JdbcStore.create(database.dataSource()), death.run());
            arguments.addAll(GroupHalt.arguments(death.point, death.run(), death.point, death.passage));
        });
        Path output = directory.resolve(group.get(0).run().replace(' ', '-') + ".out");
        ChildJvm child = ChildJvm.start(RelayingProcess.class, output, arguments);
        assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
        return child.output();
    }

    /** Publishes what a process that is started after the crash finds. */
    void recover(Database database) {
        RelayingProcess.publish(database.dataSource(), run(), CrashPlan.none());
    }

    void assertNothingIsLostPublishedTwiceOrOutOfOrder(Database database) {
        List<String> published = database.published(run());
        assertThat(new LinkedHashSet<>(published)).containsExactlyInAnyOrderElementsOf(RelayStory.published());
        assertThat(published.size() - RelayStory.published().size())
                .as("published twice of %s", published)
                .isBetween(0, RelayStory.BATCH);
        for (String key : List.of("a", "b", "c")) {
            assertThat(new LinkedHashSet<>(published).stream().filter(each -> each.startsWith(key)))
                    .as("first times of %s", published)
                    .isSorted();
        }
        assertThat(database.foreignKeysPerMessage(run())).allMatch(ids -> ids == 1);
        String consumer = "outbox." + run();
        assertThat(database.dead(consumer)).hasSize(1);
        assertThat(database.unfinished(consumer)).isEmpty();
        // That of the message that is refused once is lost with the process where it dies before it is committed.
        assertThat(database.failedAttempts(consumer)).isBetween(RelayStory.ATTEMPTS, RelayStory.ATTEMPTS + 1);
        assertThat(JdbcStore.create(database.dataSource()).appendedTo(run())).isEmpty();
    }

    @Override
    public String toString() {
        return run();
    }
}
