package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** MariaDB changes a table only when no transaction is at it, and handlers of some seconds may leave no moment without one. */
@Tag("D9")
class DaysBesideLongTransactionsIT {
    private static final String WAITS_FOR_TWO_SECONDS = """
            SELECT id FROM information_schema.processlist
            WHERE db = DATABASE() AND state LIKE '%metadata lock%' AND time_ms > 2000""";

    private static final String WAITS = WAITS_FOR_TWO_SECONDS.replace("2000", "0");

    static Stream<? extends DatabaseServer> servers() {
        return MariaDbServers.all();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void dayThatIsNeededSoonIsWaitedForLongerThanASecond(DatabaseServer server) throws Exception {
        try (Workshop workshop = server.schema()) {
            DatabaseServer.MovableClock clock = server.clock(workshop);
            StoreLab lab = StoreLab.of(clock.dataSource());
            clock.advance(Duration.ofDays(8));
            CompletableFuture<Void> maintained;
            try (InboxTransaction<JdbcContext> handler = lab.begin()) {
                lab.claimed(handler);
                maintained = CompletableFuture.runAsync(() -> lab.store().maintain(), OwnThread.FOR_EACH);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> !workshop.askAll(WAITS_FOR_TWO_SECONDS).isEmpty());
                handler.commit();
            }
            maintained.get(60, TimeUnit.SECONDS);
            assertThat(workshop.askAll("SELECT partition_name FROM information_schema.partitions WHERE table_schema ="
                            + " DATABASE() AND table_name = 'inbox_ledger' AND partition_name LIKE 'p%'"))
                    .hasSize(17);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void claimThatWaitedForAChangeOfTheTableSaysHowLongAndForWhat(DatabaseServer server) throws Exception {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(server.dataSource(
                    workshop.url().replace("sessionVariables=", "sessionVariables=lock_wait_timeout=2,")));
            CompletableFuture<Void> changed;
            try (InboxTransaction<JdbcContext> handler = lab.begin()) {
                lab.claimed(handler);
                changed = CompletableFuture.runAsync(
                        () -> workshop.execute("ALTER TABLE inbox_ledger COMMENT = 'changed'"), OwnThread.FOR_EACH);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> !workshop.askAll(WAITS).isEmpty());
                try (InboxTransaction<JdbcContext> other = lab.begin()) {
                    MessageKey key = lab.keyOf(StoreLab.message());
                    assertThatThrownBy(() -> other.claim(lab.consumer(), List.of(key), StoreLab.SHORT))
                            .isInstanceOf(ClaimBlockedException.class)
                            .hasMessageMatching("waited [1-9]\\d{3,} ms .*, or for a day that is added or dropped");
                }
            }
            changed.get(20, TimeUnit.SECONDS);
        }
    }
}
