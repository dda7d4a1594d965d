package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.DatabaseServer;
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
import java.util.stream.IntStream;
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
    /** More than one, so that the start of one process overlaps the death of another. */
    private static final int AT_ONCE = 2;

    private static final Map<WorkDeath, Future<String>> DEATHS = new LinkedHashMap<>();
    private static ExecutorService executor;
    private static Database database;

    @BeforeAll
    static void killAll() throws IOException {
        executor = Executors.newFixedThreadPool(AT_ONCE);
        database = Database.onPostgres();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "work-crash-");
        CrashGroups.submit(
                WorkDeath.groups(deaths()),
                executor,
                group -> WorkDeath.die(group, database, directory),
                (death, output) -> {
                    death.recover(database);
                    return output;
                },
                DEATHS);
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
        database.close();
    }

    /** All; in a short run one at each point, and every sixth besides. */
    static List<WorkDeath> deaths() {
        List<WorkDeath> all = WorkDeath.all();
        Set<CrashPoint> seen = EnumSet.noneOf(CrashPoint.class);
        return IntStream.range(0, all.size())
                .filter(i -> seen.add(all.get(i).point()) || DatabaseServer.isFull() || i % 6 == 0)
                .mapToObj(all::get)
                .toList();
    }

    /** The other points are passed by the tests of first deliveries, of logs and of relays, and by the contract of replays. */
    @Test
    void noPointOfTheWaysAfterADeliveryIsLeftOut() {
        Set<CrashPoint> points = EnumSet.noneOf(CrashPoint.class);
        deaths().forEach(death -> points.add(death.point()));
        assertThat(EnumSet.complementOf(EnumSet.copyOf(points)))
                .containsExactlyInAnyOrder(
                        CrashPoint.BEFORE_KNOWN,
                        CrashPoint.AFTER_KNOWN,
                        CrashPoint.BEFORE_APPENDED,
                        CrashPoint.AFTER_APPENDED,
                        CrashPoint.BEFORE_PUBLISH,
                        CrashPoint.AFTER_PUBLISH,
                        CrashPoint.BEFORE_REMOVE_APPENDED,
                        CrashPoint.AFTER_REMOVE_APPENDED,
                        CrashPoint.BEFORE_RECORD,
                        CrashPoint.AFTER_RECORD,
                        CrashPoint.BEFORE_WATERMARKS,
                        CrashPoint.AFTER_WATERMARKS,
                        CrashPoint.BEFORE_ADVANCE,
                        CrashPoint.AFTER_ADVANCE,
                        CrashPoint.BEFORE_ACQUIRE,
                        CrashPoint.AFTER_ACQUIRE,
                        CrashPoint.BEFORE_REPLAY_READ,
                        CrashPoint.AFTER_REPLAY_READ,
                        CrashPoint.BEFORE_REPLAY_MOVE,
                        CrashPoint.AFTER_REPLAY_MOVE);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void nothingIsLostRepeatedStuckOrOutOfOrderWhenAProcessDiesAt(WorkDeath death) throws Exception {
        String output = Objects.requireNonNull(DEATHS.get(death)).get(4, TimeUnit.MINUTES);
        death.assertNothingIsLostRepeatedStuckOrOutOfOrder(database, output);
    }
}
