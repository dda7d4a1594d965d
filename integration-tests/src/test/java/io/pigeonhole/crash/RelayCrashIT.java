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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process is halted at every point of the way of messages from the outbox to a broker that takes some and refuses others, and another
 * goes on. Nothing may be lost or out of order, and at most a batch published twice.
 */
class RelayCrashIT {
    private static final int IN_ONE_PROCESS = 8;

    private static final Map<RelayDeath, Future<String>> DEATHS = new LinkedHashMap<>();
    private static ExecutorService executor;
    private static Database database;

    @BeforeAll
    static void killAll() throws IOException {
        executor = Executors.newFixedThreadPool(2);
        database = Database.onPostgres();
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "relay-crash-");
        CrashGroups.submit(
                CrashGroups.ofSize(IN_ONE_PROCESS, deaths()),
                executor,
                group -> RelayDeath.die(group, database, directory),
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

    /** All; in a short run one at each point. */
    static List<RelayDeath> deaths() {
        Set<CrashPoint> seen = EnumSet.noneOf(CrashPoint.class);
        return RelayDeath.all().stream()
                .filter(death -> seen.add(death.point()) || DatabaseServer.isFull())
                .toList();
    }

    @Test
    void relayIsKilledWhereverItReadsPublishesMovesDeletesAndCommits() {
        assertThat(deaths())
                .extracting(RelayDeath::point)
                .contains(
                        CrashPoint.BEFORE_APPENDED,
                        CrashPoint.AFTER_APPENDED,
                        CrashPoint.BEFORE_PUBLISH,
                        CrashPoint.AFTER_PUBLISH,
                        CrashPoint.BEFORE_REMOVE_APPENDED,
                        CrashPoint.AFTER_REMOVE_APPENDED,
                        CrashPoint.AFTER_CLAIM,
                        CrashPoint.AFTER_PARK,
                        CrashPoint.AFTER_RECEIVE,
                        CrashPoint.AFTER_TAKE,
                        CrashPoint.AFTER_POSTPONE,
                        CrashPoint.AFTER_DEAD_LETTER,
                        CrashPoint.AFTER_FINISH,
                        CrashPoint.BEFORE_COMMIT,
                        CrashPoint.AFTER_COMMIT);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void nothingIsLostOrOutOfOrderWhenARelayDiesAt(RelayDeath death) throws Exception {
        Objects.requireNonNull(DEATHS.get(death)).get(4, TimeUnit.MINUTES);
        death.assertNothingIsLostPublishedTwiceOrOutOfOrder(database);
    }
}
