package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.WorkItem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The connection that a heartbeat borrows, or a question of a source, from a pool that resets nothing. */
@ParameterizedClass
@MethodSource("servers")
class HeartbeatIT {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final StoreLab lab;
    private final Connection connection;
    private final AtomicInteger borrowed = new AtomicInteger();
    private final List<Integer> limits = new ArrayList<>();

    HeartbeatIT(DatabaseServer server) throws SQLException {
        connection = server.sharedSchema().dataSource().getConnection();
        lab = StoreLab.of(server.sharedSchema().dataSource());
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    /** Hands out the one connection, which stays open. */
    private Connection borrow() {
        borrowed.incrementAndGet();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        borrowed.decrementAndGet();
                        return null;
                    }
                    if (method.getName().equals("setNetworkTimeout")) {
                        limits.add((Integer) arguments[1]);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private DataSource pool() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> borrow());
    }

    private WorkItem leased() {
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG);
            transaction.receive(lab.consumer(), List.of(new ReceivedMessage(lab.keyOf(message), message, true)));
            transaction.commit();
        }
        for (int workPartition = 0; workPartition < lab.consumer().workPartitions(); workPartition++) {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                List<WorkItem> leased = transaction.lease(lab.consumer(), workPartition, 1, "node", LEASE);
                if (!leased.isEmpty()) {
                    transaction.commit();
                    return leased.get(0);
                }
            }
        }
        throw new AssertionError("nothing to lease");
    }

    @Test
    @Tag("C4")
    void connectionIsGivenBackAsItWas() throws SQLException {
        WorkItem item = leased();
        JdbcStore store = JdbcStore.create(pool());
        int networkTimeout = connection.getNetworkTimeout();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setReadOnly(true);
        boolean readOnly = connection.isReadOnly();

        try (Heartbeat heartbeat = store.heartbeat()) {
            assertThat(heartbeat.prolong(lab.consumer(), List.of(item), LEASE)).containsExactly(item.id());
            assertThat(borrowed).hasValue(0);
            assertThat(heartbeat.prolong(lab.consumer(), List.of(item), LEASE)).containsExactly(item.id());
        }

        assertThat(borrowed).hasValue(0);
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(connection.isReadOnly()).isEqualTo(readOnly);
        assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(connection.getNetworkTimeout()).isEqualTo(networkTimeout);
    }

    /** Over a connection that answers nothing any more. */
    @ParameterizedTest
    @CsvSource({"PT1S, 166", "PT30S, 5000", "PT1M, 10000", "PT24H, 10000"})
    @Tag("C4")
    void heartbeatThatHangsIsGivenUpBeforeItsLeaseRunsOut(Duration lease, int millis) {
        WorkItem item = leased();
        JdbcStore store = JdbcStore.create(pool());
        try (Heartbeat heartbeat = store.heartbeat()) {
            heartbeat.prolong(lab.consumer(), List.of(item), lease);
        }
        assertThat(limits).first().isEqualTo(millis);
    }

    /** A node may still work under a lease that has run out, and have leased the message again. */
    @Test
    void newestOfTwoLeasesOfOneMessageIsProlonged() {
        WorkItem newest = leased();
        WorkItem older = withToken(newest, newest.token() - 1);
        try (Heartbeat heartbeat = lab.store().heartbeat()) {
            assertThat(heartbeat.prolong(lab.consumer(), List.of(newest, older), LEASE))
                    .containsExactly(newest.id());
            assertThat(heartbeat.prolong(lab.consumer(), List.of(older), LEASE)).isEmpty();
        }
    }

    private static WorkItem withToken(WorkItem item, long token) {
        return new WorkItem(
                item.id(),
                item.key(),
                item.message(),
                item.attempts(),
                item.retriedAttempts(),
                item.age(),
                item.byLease(),
                token);
    }

    @Test
    @Tag("E10")
    void connectionOfASourcesQuestionIsGivenBackAsItWas() throws SQLException {
        Start start = new Start("kafka t-0", "begun", "member");
        JdbcStore store = JdbcStore.create(pool());
        connection.setNetworkTimeout(Runnable::run, 60_000);
        int networkTimeout = connection.getNetworkTimeout();

        assertThat(store.started(lab.consumer(), start)).isPositive();
        store.survived(lab.consumer(), start);
        store.ended(lab.consumer(), start);

        assertThat(borrowed).hasValue(0);
        assertThat(connection.getNetworkTimeout()).isEqualTo(networkTimeout);
    }
}
