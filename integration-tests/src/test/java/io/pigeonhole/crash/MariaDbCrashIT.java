package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Some of the deaths of {@link InlineCrashIT} and {@link WorkCrashIT} on MariaDB: the engine is the same, so these are the
 * points between which this database has a transaction to keep or to lose. Each process dies once: a transaction that stands
 * still can hold up one of another consumer here.
 */
@Tag("full")
class MariaDbCrashIT {
    private static final int AT_ONCE = 3;

    private static final Set<CrashPoint> OF_DELIVERIES = EnumSet.of(
            CrashPoint.AFTER_CLAIM,
            CrashPoint.AFTER_ROLLBACK_TO_SAVEPOINT,
            CrashPoint.AFTER_PARK,
            CrashPoint.BEFORE_COMMIT,
            CrashPoint.AFTER_COMMIT);

    private static final Set<CrashPoint> OF_WORK = EnumSet.of(
            CrashPoint.AFTER_RECEIVE,
            CrashPoint.AFTER_TAKE,
            CrashPoint.AFTER_POSTPONE,
            CrashPoint.AFTER_FINISH,
            CrashPoint.AFTER_LEASE,
            CrashPoint.AFTER_HOLD,
            CrashPoint.AFTER_TAKE_EXPIRED,
            CrashPoint.AFTER_REOPEN);

    private static final Set<CrashPoint> IN_A_SHORT_RUN =
            EnumSet.of(CrashPoint.AFTER_RECEIVE, CrashPoint.AFTER_FINISH, CrashPoint.AFTER_TAKE_EXPIRED);

    private static final Map<InlineDeath, Future<InlineDeath.Corpse>> INLINE = new HashMap<>();
    private static final Map<WorkDeath, Future<String>> WORK = new HashMap<>();
    private static ExecutorService executor;
    private static Database database;

    @BeforeAll
    static void killAll() throws IOException {
        executor = Executors.newFixedThreadPool(AT_ONCE);
        database = Database.onMariaDb();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "mariadb-crash-");
        CrashGroups.submit(
                CrashGroups.ofSize(1, inline()),
                executor,
                group -> InlineDeath.die(group, database, directory),
                (death, corpses) -> Objects.requireNonNull(corpses.get(death)),
                INLINE);
        CrashGroups.submit(
                CrashGroups.ofSize(1, work()),
                executor,
                group -> WorkDeath.die(group, database, directory),
                (death, output) -> {
                    death.recover(database);
                    return output;
                },
                WORK);
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
        database.close();
    }

    static List<InlineDeath> inline() {
        return InlineDeath.all().stream()
                .filter(death -> OF_DELIVERIES.contains(death.point()))
                .filter(death -> DatabaseServer.isFull() || death.story() == Story.ISOLATED)
                .toList();
    }

    /** Each point in the story that comes to it last; in a short run three of them. */
    static List<WorkDeath> work() {
        Map<CrashPoint, WorkDeath> last = new HashMap<>();
        WorkDeath.all().stream()
                .filter(death -> DatabaseServer.isFull()
                        ? OF_WORK.contains(death.point())
                        : IN_A_SHORT_RUN.contains(death.point()))
                .forEach(death -> last.put(death.point(), death));
        return List.copyOf(last.values());
    }

    @ParameterizedTest
    @MethodSource("inline")
    void everyMessageTakesEffectOnceWhenAProcessDiesAt(InlineDeath death) throws Exception {
        death.assertEveryMessageTakesEffectOnce(database, awaited(INLINE, death));
    }

    @ParameterizedTest
    @MethodSource("work")
    void nothingIsLostRepeatedStuckOrOutOfOrderWhenAProcessDiesAt(WorkDeath death) throws Exception {
        death.assertNothingIsLostRepeatedStuckOrOutOfOrder(database, awaited(WORK, death));
    }

    private static <D, R> R awaited(Map<D, Future<R>> deaths, D death) throws Exception {
        return Objects.requireNonNull(deaths.get(death)).get(3, TimeUnit.MINUTES);
    }

    @ParameterizedTest
    @EnumSource
    void redeliveryAfterADeathBetweenCommitAndAcknowledgementIsADuplicate(Story story) throws Exception {
        InlineDeath death = new InlineDeath(story, CrashPoint.BEFORE_ACKNOWLEDGE, 1, false);
        InlineDeath.Corpse corpse =
                death.die(database, Files.createTempDirectory(Database.directory(), "mariadb-crash-"));
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);
        assertThat(corpse.acknowledged()).isEmpty();
        List<String> effects = database.effects(death.run());
        assertThat(effects).containsExactlyInAnyOrderElementsOf(story.ids(death.run(), "good"));

        List<Outcome> outcomes = death.inbox(database).process(story.messages(death.run()));

        assertThat(outcomes).extracting(Outcome::kind).containsOnly(Outcome.Kind.DUPLICATE);
        assertThat(database.effects(death.run())).isEqualTo(effects);
    }
}
