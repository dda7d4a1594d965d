package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@OnEveryServer
class ClaimIT {
    private static final int THREADS = 6;
    private static final int BATCH = 500;

    private final Workshop workshop;

    ClaimIT(PostgresServer server) {
        this.workshop = server.schema();
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void batchesOf500OverAllPartitionsAreUniqueUnderConcurrency() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(workshop.url());
        config.setMaximumPoolSize(THREADS);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            StoreLab lab = StoreLab.of(pool);
            List<MessageKey> keys = keysOverAllPartitions(lab, 2 * BATCH);
            Set<MessageKey> claimed = ConcurrentHashMap.newKeySet();
            CyclicBarrier together = new CyclicBarrier(THREADS);

            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(thread);
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            await(together);
                            List<MessageKey> mine = new ArrayList<>(keys);
                            Collections.shuffle(mine, random);
                            for (int from = 0; from < mine.size(); from += BATCH) {
                                claim(lab, mine.subList(from, from + BATCH), claimed);
                            }
                        },
                        OwnThread.FOR_EACH));
            }

            for (CompletableFuture<Void> thread : threads) {
                thread.get(120, TimeUnit.SECONDS);
            }
            assertThat(claimed).containsExactlyInAnyOrderElementsOf(keys);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("" + keys.size());
            assertThat(workshop.ask("SELECT count(DISTINCT tableoid) FROM inbox_ledger"))
                    .isEqualTo("10");
        }
    }

    private static void claim(StoreLab lab, List<MessageKey> some, Set<MessageKey> claimed) {
        List<MessageKey> sorted = some.stream().sorted().toList();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Claim claim = transaction.claim(lab.consumer(), sorted, Duration.ofSeconds(60));
            transaction.commit();
            for (MessageKey key : claim.claimed()) {
                assertThat(claimed.add(key)).as("%s was claimed twice", key).isTrue();
            }
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<MessageKey> keysOverAllPartitions(StoreLab lab, int count) {
        Instant today =
                now().truncatedTo(ChronoUnit.DAYS).plus(23, ChronoUnit.HOURS).plus(59, ChronoUnit.MINUTES);
        Random random = new Random(1);
        List<MessageKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(
                    i % 10 == 9
                            ? lab.keyOf(StoreLab.message())
                            : lab.keyOf(madeAt(today.plus(i % 10, ChronoUnit.DAYS), random)));
        }
        return keys;
    }

    @Test
    void twoDeliveriesOnBothSidesOfMidnightAreOneMessage() {
        workshop.execute("CREATE TABLE clock AS SELECT pg_catalog.clock_timestamp() AS at");
        workshop.execute(
                "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM clock'");
        StoreLab lab = StoreLab.of(PostgresServers.dataSource(workshop.url() + ",pg_catalog"));
        Instant midnight = now().truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
        Message message = madeAt(midnight.minusMillis(20), new Random(1));

        setClock(midnight.minusMillis(1));
        lab.store().maintain();
        assertThat(claimed(lab, message)).isTrue();
        setClock(midnight.plusMillis(1));
        lab.store().maintain();
        assertThat(claimed(lab, message)).isFalse();

        assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("1");
        // Kept by the id's day, whatever the clock said at the delivery.
        assertThat(workshop.ask("SELECT tableoid::regclass::text FROM inbox_ledger"))
                .endsWith("inbox_ledger_"
                        + midnight.minusMillis(1).toString().substring(0, 10).replace("-", ""));
    }

    @Test
    void dayThatIsDroppedBeneathTheBoundsIsTransient() {
        StoreLab lab = StoreLab.of(workshop.dataSource());
        Message message = madeAt(now().plus(2, ChronoUnit.DAYS), new Random(1));
        String day = workshop.ask("SELECT min(c.relname) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
                + " WHERE i.inhparent = 'inbox_ledger'::regclass AND c.relname > 'inbox_ledger_'"
                + " || to_char(clock_timestamp() AT TIME ZONE 'UTC' + interval '1 day', 'YYYYMMDD')");
        workshop.execute("DROP TABLE " + day);

        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(catchThrowable(
                            () -> transaction.claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG)))
                    .satisfies(e -> assertThat(lab.store().classify(e)).isEqualTo(ErrorClass.RETRY_NOW));
        }
    }

    /** As by VACUUM FULL: such a table is waited for before a statement is executed. */
    @Test
    void claimOfOneKeyWaitsForALockedTableOnlyForItsTimeout() throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource());
        List<MessageKey> keys = List.of(lab.keyOf(StoreLab.message()));
        try (Connection other = workshop.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE inbox_ledger IN ACCESS EXCLUSIVE MODE");

            assertThat(CompletableFuture.supplyAsync(
                            () -> {
                                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                                    return transaction.claim(lab.consumer(), keys, StoreLab.SHORT);
                                }
                            },
                            OwnThread.FOR_EACH))
                    .failsWithin(StoreLab.LONG)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(ClaimBlockedException.class);
        }
    }

    /** One that was made after the store. */
    @Test
    void keyThatAnIndexOfSomebodysOwnRefusesIsNoDuplicate() throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource());
        StoreLab other = StoreLab.of(workshop.dataSource());
        workshop.execute("CREATE UNIQUE INDEX my_lookup ON inbox_ledger (message_key)");
        List<MessageKey> keys = Stream.generate(() -> lab.keyOf(StoreLab.message()))
                .limit(2)
                .sorted()
                .toList();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(lab.consumer(), keys, StoreLab.LONG);
            transaction.commit();
        }

        for (int many = 1; many <= 2; many++) {
            List<MessageKey> some = keys.subList(0, many);
            try (InboxTransaction<JdbcContext> transaction = other.begin()) {
                assertThatThrownBy(() -> transaction.claim(other.consumer(), some, StoreLab.LONG))
                        .isInstanceOf(PigeonholeException.class);
            }
        }
        try (Connection connection = workshop.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Ledger byHand = other.store().ledger(connection);
            assertThatThrownBy(() -> byHand.claim(other.consumer(), keys.get(0)))
                    .isInstanceOf(PigeonholeException.class);
        }
    }

    private boolean claimed(StoreLab lab, Message message) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Claim claim = transaction.claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG);
            transaction.commit();
            return !claim.claimed().isEmpty();
        }
    }

    private void setClock(Instant instant) {
        workshop.execute("UPDATE clock SET at = CAST(? AS timestamptz)", instant.toString());
    }

    private Instant now() {
        return Instant.ofEpochMilli(Long.parseLong(
                workshop.ask("SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint")));
    }

    /** A message whose id is a UUIDv7 of that instant. */
    private static Message madeAt(Instant instant, Random random) {
        long high = (instant.toEpochMilli() << 16) | 0x7000 | random.nextInt(0x1000);
        return StoreLab.message(new UUID(high, (random.nextLong() & ~(3L << 62)) | (1L << 63)).toString());
    }
}
