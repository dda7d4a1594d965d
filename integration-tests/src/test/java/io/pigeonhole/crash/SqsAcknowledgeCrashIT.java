package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.sqs.SqsServer;
import io.pigeonhole.sqs.SqsTestQueue;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An SQS consumer dies between its commits and its deletions: what it left comes back and is told as duplicates. */
@Tag("full")
class SqsAcknowledgeCrashIT {
    private static final List<String> IDS =
            IntStream.range(0, 100).mapToObj(i -> "payment " + i).toList();

    private static final int AT_ONCE = 4;

    private static final Map<Death, Future<String>> DEATHS = new LinkedHashMap<>();
    private static ExecutorService executor;
    private static Database database;

    record Death(CrashPoint point, int passage, String suffix) {
        String run() {
            return (point + "-" + passage).toLowerCase(Locale.ROOT) + suffix;
        }
    }

    /** What is hidden for a dead consumer is waited for; so they die side by side. */
    @BeforeAll
    static void killAll() {
        executor = Executors.newFixedThreadPool(AT_ONCE);
        database = Database.onPostgres();
        deaths().forEach(death -> DEATHS.put(death, executor.submit(() -> dieAndGoOn(death))));
    }

    @AfterAll
    static void stopServer() {
        executor.shutdownNow();
        database.close();
    }

    static List<Death> deaths() {
        return (DatabaseServer.isFull() ? Stream.of("", ".fifo") : Stream.of(""))
                .flatMap(suffix -> Stream.of(
                        new Death(CrashPoint.AFTER_COMMIT, 1, suffix),
                        new Death(CrashPoint.BEFORE_ACKNOWLEDGE, 1, suffix),
                        new Death(CrashPoint.BEFORE_ACKNOWLEDGE, 3, suffix),
                        new Death(CrashPoint.AFTER_ACKNOWLEDGE, 1, suffix)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyPaymentTakesEffectOnceWhenAConsumerDiesAt(Death death) throws Exception {
        String run = Objects.requireNonNull(DEATHS.get(death)).get(4, TimeUnit.MINUTES);
        EffectsChecker.expecting(IDS)
                .effects(database.effects(run))
                .parked(database.parked(run))
                .dead(database.dead(run))
                .check()
                .assertExactlyOnce();
    }

    private static String dieAndGoOn(Death death) throws Exception {
        String run = death.run();
        int port = SqsServer.shared().port();
        try (SqsTestQueue queue = SqsTestQueue.named(run)) {
            queue.send(IDS.stream()
                    .map(id -> Message.builder("sent")
                            .id(id)
                            .type("payment")
                            .orderingKey("account-" + id.hashCode() % 7)
                            .payload(id)
                            .build())
                    .toList());
            ChildJvm child = ChildJvm.start(
                    DyingSqsConsumer.class,
                    Database.directory().resolve("sqs").resolve(run + ".log"),
                    List.of(
                            database.url(),
                            "" + port,
                            run,
                            "" + (IDS.size() + 1),
                            death.point().name(),
                            "" + death.passage()));
            assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
            assertThat(database.effects(run)).isNotEmpty();
            assertThat(queue.left(run)).isPositive();

            DyingSqsConsumer.consume(
                    JdbcStore.create(database.dataSource()),
                    port,
                    run,
                    CrashPlan.none(),
                    () -> await().atMost(Duration.ofSeconds(40)).until(() -> queue.left(run) == 0));
        }
        return run;
    }
}
