package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process of its own is halted at every point of every way through the engine. What it did not acknowledge is delivered
 * again; then every message must have taken effect once, or be parked or dead.
 */
class InlineCrashIT {
    /** More than one, so that the start of one process overlaps the death of another. */
    private static final int AT_ONCE = 2;

    private static final int IN_ONE_PROCESS = 8;

    private static final Map<InlineDeath, Future<InlineDeath.Corpse>> DEATHS = new LinkedHashMap<>();
    private static ExecutorService executor;
    private static Database database;

    @BeforeAll
    static void killAll() throws IOException {
        executor = Executors.newFixedThreadPool(AT_ONCE);
        database = Database.onPostgres();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "crash-");
        CrashGroups.submit(
                CrashGroups.ofSize(IN_ONE_PROCESS, deaths()),
                executor,
                group -> InlineDeath.die(group, database, directory),
                (death, corpses) -> Objects.requireNonNull(corpses.get(death)),
                DEATHS);
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
        database.close();
    }

    static List<InlineDeath> deaths() {
        return InlineDeath.all();
    }

    /** The points that are missing belong to what follows a delivery: WorkCrashIT. */
    @Test
    void noPointOfADeliveryIsLeftOut() {
        Set<CrashPoint> points = EnumSet.noneOf(CrashPoint.class);
        deaths().forEach(death -> points.add(death.point()));
        assertThat(points).containsAll(EnumSet.range(CrashPoint.BEFORE_BEGIN, CrashPoint.AFTER_DEAD_LETTER));
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyMessageTakesEffectOnceWhenAProcessDiesAt(InlineDeath death) throws Exception {
        InlineDeath.Corpse corpse = Objects.requireNonNull(DEATHS.get(death)).get(3, TimeUnit.MINUTES);
        death.assertEveryMessageTakesEffectOnce(database, corpse);
    }

    /** These tests can fail. */
    @Test
    void acknowledgementThatComesTooEarlyIsFoundOut() throws Exception {
        InlineDeath death = new InlineDeath(Story.TOGETHER, CrashPoint.BEFORE_COMMIT, 1, true);
        InlineDeath.Corpse corpse = death.die(database, Files.createTempDirectory(Database.directory(), "crash-"));
        assertThat(corpse.exitCode()).as(corpse.output()).isEqualTo(CrashPlan.HALTED);

        assertThat(death.recover(database, corpse).lost())
                .containsExactlyElementsOf(death.story().ids(death.run()));
    }
}
