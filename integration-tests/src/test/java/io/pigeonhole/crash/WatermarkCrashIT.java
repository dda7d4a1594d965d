package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

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
 * A reader of a log is halted at every point of its ways through the engine. The next one reads on from the watermark; then
 * every message must have taken effect once, or be parked or dead.
 */
class WatermarkCrashIT {
    private static final int AT_ONCE = 2;
    private static final Map<LogDeath, Future<LogDeath.Corpse>> DEATHS = new LinkedHashMap<>();
    private static ExecutorService executor;

    @SuppressWarnings("NullAway.Init")
    private static Database database;

    @BeforeAll
    static void killAll() throws IOException {
        executor = Executors.newFixedThreadPool(AT_ONCE);
        database = Database.onPostgres();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "crash-");
        CrashGroups.submit(
                LogDeath.groups(deaths()),
                executor,
                group -> LogDeath.die(group, database, directory),
                (death, corpse) -> corpse,
                DEATHS);
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
        database.close();
    }

    static List<LogDeath> deaths() {
        return LogDeath.all();
    }

    @Test
    void noPointOfAWatermarkIsLeftOut() {
        Set<CrashPoint> points = EnumSet.noneOf(CrashPoint.class);
        deaths().forEach(death -> points.add(death.point()));
        assertThat(points)
                .containsAll(EnumSet.range(CrashPoint.BEFORE_WATERMARKS, CrashPoint.AFTER_ACQUIRE))
                .contains(CrashPoint.BEFORE_CLAIM, CrashPoint.BEFORE_COMMIT, CrashPoint.AFTER_COMMIT);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyMessageTakesEffectOnceWhenAReaderDiesAt(LogDeath death) throws Exception {
        LogDeath.Corpse corpse = Objects.requireNonNull(DEATHS.get(death)).get(3, TimeUnit.MINUTES);
        death.assertEveryMessageTakesEffectOnce(database, corpse);
    }
}
