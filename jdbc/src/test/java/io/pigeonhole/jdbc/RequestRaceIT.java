package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.idempotency.Fingerprint;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.IdempotentRequests;
import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.idempotency.RequestMessage;
import io.pigeonhole.core.idempotency.RequestOutcome;
import io.pigeonhole.core.idempotency.RequestOutcome.Kind;
import io.pigeonhole.core.idempotency.RequestScope;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Many identical requests at once on three nodes with ten connections each, on every database, beside others. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
class RequestRaceIT {
    private static final int IDENTICAL = 64;
    private static final int NODES = 3;

    private final DatabaseServer server;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<IdempotentRequests<JdbcContext>> nodes = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(2 * IDENTICAL);

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private Workshop workshop;

    RequestRaceIT(DatabaseServer server) {
        this.server = server;
    }

    @BeforeEach
    void open() {
        workshop = server.schema();
        for (int i = 0; i < NODES; i++) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(workshop.dataSource());
            config.setMaximumPoolSize(10);
            HikariDataSource pool = new HikariDataSource(config);
            pools.add(pool);
            nodes.add(IdempotentRequests.builder(JdbcStore.create(pool).idempotency(), "race")
                    .build());
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        pools.forEach(HikariDataSource::close);
        workshop.close();
    }

    private static IdempotentRequest request(String key) {
        RequestIdentity identity = new RequestIdentity("POST /payments", RequestScope.of("ann"), key);
        byte[] body = {1};
        return new IdempotentRequest(
                identity,
                Fingerprint.builder().add(body).build(),
                RequestMessage.of("race", identity.operation(), key, Headers.none(), null, body));
    }

    private Callable<RequestOutcome> handling(int number, String key) {
        IdempotentRequests<JdbcContext> node = nodes.get(number % NODES);
        return () -> node.handle(request(key), context -> {
            context.defer("INSERT INTO effect (text) VALUES (?)", key);
            return Reply.commit(new StoredResponse(201, Headers.none(), new byte[] {2}));
        });
    }

    @Test
    void identicalRequestsAreHandledOnceAndOthersAreNotHeldUp() throws Exception {
        for (int round = 0; round < 3; round++) {
            List<Callable<RequestOutcome>> same = new ArrayList<>();
            List<Callable<RequestOutcome>> others = new ArrayList<>();
            for (int i = 0; i < IDENTICAL; i++) {
                same.add(handling(i, "same " + round));
                others.add(handling(i, "other " + round + " " + i));
            }
            List<Future<RequestOutcome>> identical =
                    same.stream().map(threads::submit).toList();
            List<Future<RequestOutcome>> unrelated =
                    others.stream().map(threads::submit).toList();

            assertThat(kinds(identical))
                    .containsOnlyOnce(Kind.EXECUTED)
                    .isSubsetOf(Kind.EXECUTED, Kind.REPLAYED, Kind.IN_PROGRESS);
            assertThat(kinds(unrelated)).containsOnly(Kind.EXECUTED);
            assertThat(workshop.ask("SELECT COUNT(*) FROM effect WHERE text = ?", "same " + round))
                    .isEqualTo("1");
        }
    }

    @Test
    void oneOfThoseThatComeBehindTheRetentionIsHandled() throws Exception {
        for (int round = 0; round < 3; round++) {
            handling(0, "old " + round).call();
            workshop.execute("UPDATE inbox_idempotency SET expires_at = created_at");
            String key = "old " + round;
            List<Callable<RequestOutcome>> same = new ArrayList<>();
            for (int i = 0; i < IDENTICAL; i++) {
                same.add(handling(i, key));
            }
            List<Future<RequestOutcome>> identical =
                    same.stream().map(threads::submit).toList();

            assertThat(kinds(identical))
                    .containsOnlyOnce(Kind.EXECUTED)
                    .isSubsetOf(Kind.EXECUTED, Kind.REPLAYED, Kind.IN_PROGRESS);
            assertThat(workshop.ask("SELECT COUNT(*) FROM effect WHERE text = ?", key))
                    .isEqualTo("2");
        }
    }

    /** Which holds its rows until all of them are deleted. */
    @Test
    void requestBehindTheRetentionWaitsForNoPurge() throws Exception {
        handling(0, "old").call();
        workshop.execute("UPDATE inbox_idempotency SET expires_at = created_at");
        try (Connection purge = workshop.dataSource().getConnection();
                Statement statement = purge.createStatement()) {
            purge.setAutoCommit(false);
            statement
                    .executeQuery("SELECT request_key FROM inbox_idempotency FOR UPDATE")
                    .close();

            assertThat(kinds(List.of(threads.submit(handling(1, "old"))))).containsExactly(Kind.IN_PROGRESS);
            purge.rollback();
        }
        assertThat(handling(2, "old").call().kind()).isEqualTo(Kind.EXECUTED);
    }

    private static List<Kind> kinds(List<Future<RequestOutcome>> outcomes) throws Exception {
        List<Kind> kinds = new ArrayList<>();
        for (Future<RequestOutcome> outcome : outcomes) {
            kinds.add(outcome.get(60, TimeUnit.SECONDS).kind());
        }
        return kinds;
    }
}
