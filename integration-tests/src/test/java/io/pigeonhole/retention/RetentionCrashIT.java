package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.jdbc.JdbcStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a node that forgets leaves half done when it dies, the next one finishes. */
@Tag("full")
class RetentionCrashIT {
    private static final int KEYS = 600;
    private static final Duration LEASE_OF_THE_DEAD = Duration.ofMinutes(3);
    private static final String PENDING = "SELECT count(*) FROM pg_inherits WHERE inhdetachpending";

    private final RetentionLab lab = new RetentionLab();
    private final JdbcStore store = lab.store();
    private final RegisteredConsumer consumer = lab.consumer(store, "mortal");

    /** Where a process dies. */
    record Death(String part, boolean after) {}

    static Stream<Death> deaths() {
        return Stream.of(
                new Death("SET oldest", true),
                new Death("DETACH PARTITION", false),
                new Death("DETACH PARTITION", true),
                new Death("DROP TABLE", true),
                new Death("DELETE FROM inbox_ledger_digest", true),
                new Death("SET begun_at", true));
    }

    @AfterEach
    void close() {
        lab.close();
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void theNextNodeFinishesWhatOneLeftThatDied(Death death) throws Exception {
        List<MessageKey> keys = lab.keys(consumer, KEYS);
        lab.claimAll(store, consumer, keys);
        lab.advance(Duration.ofDays(9));
        ChildJvm child = ChildJvm.start(
                ForgettingProcess.class,
                Path.of(System.getProperty("pigeonhole.target", "target"), "retention", death.hashCode() + ".log"),
                List.of(lab.clock.url(), death.part(), String.valueOf(death.after())));
        assertThat(child.exitCode()).as(child.output()).isEqualTo(HaltingDataSource.HALTED);

        lab.advance(LEASE_OF_THE_DEAD);
        RetentionLab.forget(store);

        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
        MessageKey first = keys.get(0);
        assertThat(RetentionLab.claim(store, consumer, List.of(first)).isLate(first))
                .isTrue();
    }

    @Test
    void aDayWhoseDetachingWasInterruptedIsFinished() throws SQLException {
        MessageKey key = lab.keys(consumer, 1).get(0);
        lab.advance(Duration.ofDays(9));
        store.maintain();
        try (Connection other = lab.database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE inbox_ledger IN ACCESS SHARE MODE");
            CompletableFuture<Void> retiring = CompletableFuture.runAsync(() -> RetentionLab.forget(store));
            await().until(() -> lab.workshop.ask(PENDING).equals("1"));
            assertThat(lab.workshop.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            + " WHERE query LIKE 'ALTER TABLE %inbox_ledger%CONCURRENTLY' AND state = 'active'"))
                    .isEqualTo("1");
            await().until(retiring::isDone);
            assertThat(retiring.handle((done, failure) -> failure).join())
                    .isInstanceOfAny(CompletionException.class, RuntimeException.class);
            other.rollback();
        }
        assertThat(lab.workshop.ask(PENDING)).isEqualTo("1");
        assertThat(RetentionLab.claim(store, consumer, List.of(key)).isLate(key))
                .isTrue();

        lab.advance(LEASE_OF_THE_DEAD);
        RetentionLab.forget(store);

        assertThat(lab.workshop.ask(PENDING)).isEqualTo("0");
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
    }

    @Test
    void twoNodesThatForgetAtOnceUnderLoadLetNoClaimFail() {
        lab.claimAll(store, consumer, lab.keys(consumer, KEYS));
        lab.advance(Duration.ofDays(12));
        JdbcStore other = lab.store();
        store.maintain();
        List<CompletableFuture<Integer>> nodes = Stream.of(store, other)
                .map(node -> CompletableFuture.supplyAsync(() -> RetentionLab.forget(node)))
                .toList();
        List<CompletableFuture<Integer>> load = Stream.of(1, 2)
                .map(i -> CompletableFuture.supplyAsync(() -> {
                    int claimed = 0;
                    do {
                        claimed += RetentionLab.claim(store, consumer, lab.keys(consumer, 100))
                                .claimed()
                                .size();
                    } while (!nodes.stream().allMatch(CompletableFuture::isDone));
                    return claimed;
                }))
                .toList();

        int days = nodes.stream().mapToInt(CompletableFuture::join).sum();
        int claimed = load.stream().mapToInt(CompletableFuture::join).sum();
        days += RetentionLab.forget(store);

        assertThat(days).isEqualTo(5);
        assertThat(lab.tables("inbox_ledger")).isEqualTo(lab.days(7));
        assertThat(lab.workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo(String.valueOf(claimed));
    }
}
