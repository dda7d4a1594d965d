package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Work in PostgreSQL's own ways: locks, leases over connections that break, many workers. */
@OnEmbeddedServer
class WorkQueueIT {
    private static final FailedAttempt ATTEMPT =
            new FailedAttempt(1, "node", Duration.ofMillis(5), "java.lang.Exception", "it failed", "at a line");

    private final Workshop workshop;
    private final JdbcStore store;

    WorkQueueIT(PostgresServer server) {
        this.workshop = server.schema();
        this.store = JdbcStore.create(workshop.dataSource());
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    @Test
    void workersInOneWorkPartitionNeverGetTheSameMessage() {
        RegisteredConsumer consumer = register(KeyOrder.NONE);
        receive(consumer, false, messages(400));
        ConcurrentLinkedQueue<Long> finished = new ConcurrentLinkedQueue<>();

        List<CompletableFuture<Void>> workers = Stream.generate(
                        () -> CompletableFuture.runAsync(() -> work(consumer, finished), OwnThread.FOR_EACH))
                .limit(4)
                .toList();
        workers.forEach(CompletableFuture::join);

        assertThat(finished).hasSize(400);
        assertThat(new HashSet<>(finished)).hasSize(400);
        assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("0");
    }

    private void work(RegisteredConsumer consumer, ConcurrentLinkedQueue<Long> finished) {
        while (true) {
            try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
                List<WorkItem> items = transaction.take(consumer, 0, 7);
                if (items.isEmpty()) {
                    return;
                }
                transaction.finish(consumer, items);
                transaction.commit();
                items.forEach(item -> finished.add(item.id()));
            }
        }
    }

    @Test
    void concurrentParkUnderTheLockIsSeenByTheGate() throws InterruptedException {
        RegisteredConsumer consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message message = inKey("a");
        OrderingKey key = Objects.requireNonNull(OrderingKey.of(message));
        CompletableFuture<Set<OrderingKey>> blocked;
        try (InboxTransaction<JdbcContext> first = store.begin(StoreLab.IDLE_LIMIT)) {
            first.lock(consumer, List.of(0), StoreLab.LONG);
            blocked = CompletableFuture.supplyAsync(() -> blocked(consumer, key), OwnThread.FOR_EACH);
            awaitWaitingForALock();
            first.claim(consumer, List.of(keyOf(consumer, message)), StoreLab.LONG);
            first.park(
                    consumer,
                    List.of(new ParkedMessage(keyOf(consumer, message), message, Duration.ofHours(1), ATTEMPT)));
            assertThat(blocked).isNotDone();
            first.commit();
        }
        assertThat(blocked.join()).containsExactly(key);
    }

    private Set<OrderingKey> blocked(RegisteredConsumer consumer, OrderingKey key) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.lock(consumer, List.of(0), StoreLab.LONG);
            return transaction.blocked(consumer, List.of(key));
        }
    }

    private void awaitWaitingForALock() throws InterruptedException {
        while (workshop.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                .equals("0")) {
            Thread.onSpinWait();
        }
    }

    @Test
    void locksOfSchemasAndOfStoringAndWorkingAreApart() {
        RegisteredConsumer consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        try (InboxTransaction<JdbcContext> storing = store.begin(StoreLab.IDLE_LIMIT);
                InboxTransaction<JdbcContext> working = store.begin(StoreLab.IDLE_LIMIT);
                InboxTransaction<JdbcContext> late = store.begin(StoreLab.IDLE_LIMIT)) {
            storing.lock(consumer, List.of(0, 1, 2), StoreLab.LONG);
            assertThat(working.enter(consumer, 0)).isTrue();
            assertThat(late.enter(consumer, 0)).isFalse();
            assertThat(late.enter(consumer, 1)).isTrue();
            assertThatThrownBy(() -> late.lock(consumer, List.of(2), StoreLab.SHORT))
                    .isInstanceOf(ClaimBlockedException.class);
        }
    }

    @Test
    void patienceOfALockIsForgottenAfterwards() {
        RegisteredConsumer consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.lock(consumer, List.of(0), StoreLab.SHORT);
            Message message = inKey("a");
            JdbcContext context = transaction.context(consumer, keyOf(consumer, message), message, 1);
            assertThat(setting(context, "lock_timeout")).isEqualTo("0");
            assertThat(setting(context, "idle_in_transaction_session_timeout")).isEqualTo("1min");
        }
    }

    private static String setting(JdbcContext context, String name) {
        try (var statement = context.connection().createStatement();
                var row = statement.executeQuery("SHOW " + name)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void manyMessagesDueBehindHeadsThatAreNotHideNoOther() {
        RegisteredConsumer consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        receive(consumer, false, Stream.generate(() -> inKey("a")).limit(50).toList());
        workshop.execute("UPDATE inbox_work SET due_at = clock_timestamp() + interval '1 hour', status = 'parked'"
                + " WHERE id = (SELECT min(id) FROM inbox_work)");
        receive(consumer, false, List.of(inKey("b"), inKey("b")));

        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.enter(consumer, 0);
            assertThat(transaction.take(consumer, 0, 10))
                    .extracting(item -> OrderingKey.of(item.message()))
                    .containsExactly(OrderingKey.of(inKey("b")), OrderingKey.of(inKey("b")));
        }
    }

    @Test
    void messageThatSomebodyElseHasLockedCutsItsKey() {
        RegisteredConsumer consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        receive(consumer, false, List.of(inKey("a"), inKey("b"), inKey("a"), inKey("a"), inKey("b")));
        List<String> ids = workshop.askAll("SELECT id FROM inbox_work ORDER BY id");
        try (InboxTransaction<JdbcContext> administrator = store.begin(StoreLab.IDLE_LIMIT);
                InboxTransaction<JdbcContext> worker = store.begin(StoreLab.IDLE_LIMIT)) {
            assertThat(administrator.retake(consumer, List.of(Long.valueOf(ids.get(2)))))
                    .hasSize(1);
            worker.enter(consumer, 0);
            assertThat(worker.take(consumer, 0, 10))
                    .extracting(item -> Long.toString(item.id()))
                    .containsExactly(ids.get(0), ids.get(1), ids.get(4));
        }
    }

    @Test
    void heartbeatGoesOnWhenTheConnectionThatItHadIsLost() {
        RegisteredConsumer consumer = register(KeyOrder.NONE);
        receive(consumer, true, messages(3));
        List<WorkItem> leased;
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            leased = transaction.lease(consumer, 0, 10, "node", Duration.ofSeconds(30));
            transaction.commit();
        }
        try (Heartbeat heartbeat = store.heartbeat()) {
            assertThat(heartbeat.prolong(consumer, leased, Duration.ofMinutes(5)))
                    .hasSize(3);
            workshop.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%prolonged%'");
            assertThat(heartbeat.prolong(consumer, leased, Duration.ofMinutes(5)))
                    .hasSize(3);
        }
        assertThat(store.due(List.of(consumer)))
                .singleElement()
                .satisfies(due -> assertThat(due.kind()).isEqualTo(Backlog.Kind.EXPIRING))
                .satisfies(due -> assertThat(due.in()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5)));
    }

    @Test
    void heartbeatDoesNotWaitForWhoeverFinishesAMessage() {
        RegisteredConsumer consumer = register(KeyOrder.NONE);
        receive(consumer, true, messages(2));
        List<WorkItem> leased;
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            leased = transaction.lease(consumer, 0, 10, "node", Duration.ofSeconds(30));
            transaction.commit();
        }
        try (Heartbeat heartbeat = store.heartbeat();
                InboxTransaction<JdbcContext> finishing = store.begin(StoreLab.IDLE_LIMIT)) {
            assertThat(finishing.hold(consumer, leased.get(0))).isTrue();
            assertThat(heartbeat.prolong(consumer, leased, Duration.ofMinutes(5)))
                    .hasSize(2);
            finishing.finish(consumer, leased.subList(0, 1));
            finishing.commit();
            assertThat(heartbeat.prolong(consumer, leased, Duration.ofMinutes(5)))
                    .containsExactly(leased.get(1).id());
        }
    }

    private RegisteredConsumer register(KeyOrder order) {
        int workPartitions = order.isKept() ? 3 : 1;
        return store.register(
                new ConsumerRegistration("it " + UUID.randomUUID(), IdForm.TIME_ORDERED, order, workPartitions));
    }

    private void receive(RegisteredConsumer consumer, boolean byLease, List<Message> messages) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            List<ReceivedMessage> received = new ArrayList<>();
            for (Message message : messages) {
                received.add(new ReceivedMessage(keyOf(consumer, message), message, byLease));
            }
            transaction.receive(consumer, received);
            transaction.commit();
        }
    }

    private static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> StoreLab.message()).toList();
    }

    /** With keys of which each lies in work partition 0 of 3. */
    private static Message inKey(String name) {
        int number = 0;
        while (OrderingKey.partition((name + number).getBytes(StandardCharsets.UTF_8), 3) != 0) {
            number++;
        }
        return Message.builder("notes")
                .id("id " + UUID.randomUUID())
                .type("note")
                .orderingKey(name + number)
                .build();
    }

    private static MessageKey keyOf(RegisteredConsumer consumer, Message message) {
        return consumer.keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
    }
}
