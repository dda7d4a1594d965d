package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The two tables of messages to send stay small, whatever is open, and lose nothing when they take turns. */
@OnEveryServer
class OutboxTablesIT {
    private static final String DESTINATION = "orders";
    private static final int PAYLOAD = 2_000;

    private final Workshop workshop;
    private final AtomicLong nanos = new AtomicLong();
    private final JdbcStore store;
    private final RegisteredConsumer consumer;

    OutboxTablesIT(PostgresServer server) {
        workshop = server.schema();
        store = JdbcStore.builder(workshop.dataSource()).nanos(nanos::get).build();
        consumer = store.register(new ConsumerRegistration(
                "outbox.orders", IdForm.OPAQUE, KeyOrder.SKIP_DEAD_LETTERS, Outbox.WORK_PARTITIONS));
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private void append(int first, int count) throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            append(connection, first, count);
            connection.commit();
        }
    }

    private void append(Connection connection, int first, int count) {
        Outbox outbox = store.outbox(connection);
        for (int i = first; i < first + count; i++) {
            outbox.append(OutboxMessage.to(DESTINATION)
                    .key("k")
                    .type("" + i)
                    .payload(random(i))
                    .build());
        }
    }

    /** It does not get smaller on disk. */
    private static byte[] random(int seed) {
        byte[] bytes = new byte[PAYLOAD];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private List<String> drain() {
        List<String> all = new ArrayList<>();
        for (int workPartition : store.appendedTo(DESTINATION)) {
            List<String> some;
            do {
                some = take(workPartition);
                all.addAll(some);
            } while (!some.isEmpty());
        }
        return all;
    }

    private List<String> take(int workPartition) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            assertThat(transaction.enter(consumer, workPartition)).isTrue();
            List<AppendedMessage> some = transaction
                    .appended(consumer, DESTINATION, workPartition, 500, Long.MAX_VALUE)
                    .messages();
            transaction.removeAppended(
                    DESTINATION,
                    workPartition,
                    some.stream().map(AppendedMessage::position).toList());
            transaction.commit();
            return some.stream().map(message -> message.message().type()).toList();
        }
    }

    /** As time goes by. */
    private void look(int times) {
        for (int i = 0; i < times; i++) {
            nanos.addAndGet(Duration.ofMinutes(2).toNanos());
            store.appendedTo(DESTINATION);
        }
    }

    private long bytes() {
        return Long.parseLong(workshop.ask(
                "SELECT pg_total_relation_size('outbox_message_0') +" + " pg_total_relation_size('outbox_message_1')"));
    }

    private static List<String> numbers(int first, int count) {
        return IntStream.range(first, first + count).mapToObj(String::valueOf).toList();
    }

    @Test
    void tablesStaySmallWhileATransactionHoldsASnapshot() throws SQLException {
        try (Connection reader = workshop.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT count(*) FROM inbox_schema");
            int each = 9_000;
            long largest = 0;
            for (int round = 0; round < 4; round++) {
                append(round * each, each);
                assertThat(drain()).containsExactlyElementsOf(numbers(round * each, each));
                look(4);
                largest = Math.max(largest, bytes());
            }
            assertThat(largest).isLessThan(4L * each * PAYLOAD / 2);
            reader.rollback();
        }
    }

    @Test
    void messagesKeepTheirOrderAcrossBothTables() throws SQLException {
        append(0, 3);
        workshop.execute("UPDATE outbox_generation SET current = 1 - current");
        append(3, 3);
        workshop.execute("UPDATE outbox_generation SET current = 1 - current");
        append(6, 3);

        assertThat(drain()).containsExactlyElementsOf(numbers(0, 9));
    }

    @Test
    void whatIsAppendedAndNotCommittedYetIsNotTruncated() throws SQLException {
        append(0, 100);
        try (Connection late = workshop.dataSource().getConnection()) {
            late.setAutoCommit(false);
            append(late, 100, 1);
            workshop.execute("UPDATE outbox_generation SET current = 1 - current");
            append(101, 1);
            assertThat(drain()).hasSize(101);
            look(3);
            late.commit();
        }
        assertThat(drain()).containsExactly("100");
        look(3);
        assertThat(workshop.ask("SELECT pg_relation_size('outbox_message_0')")).isEqualTo("0");
        append(102, 1);
        assertThat(drain()).containsExactly("102");
    }

    @Test
    void nothingIsTruncatedThatHasManyMessages() throws SQLException {
        append(0, 200);
        workshop.execute("UPDATE outbox_generation SET current = 1 - current");
        look(3);

        assertThat(Long.parseLong(workshop.ask("SELECT count(*) FROM outbox_message_0")))
                .isEqualTo(200);
        assertThat(drain()).containsExactlyElementsOf(numbers(0, 200));
    }

    @Test
    void messagesThatAreReadFromTheLogAreNotInsertedOnceMore() throws SQLException {
        append(0, 90);
        String generations = "SELECT DISTINCT generation FROM outbox_message";
        String generation = workshop.ask(generations);
        workshop.execute("CREATE PUBLICATION outbox FOR TABLE outbox_message WITH (publish_via_partition_root = true)");
        workshop.execute("UPDATE outbox_generation SET current = 1 - current");
        look(3);

        assertThat(workshop.askAll(generations)).containsExactly(generation);
        workshop.execute("DROP PUBLICATION outbox");
        look(3);
        assertThat(workshop.askAll(generations)).hasSize(1).doesNotContain(generation);
    }

    @Test
    void fewMessagesThatNobodyPublishesGoToTheOtherTableWithTheirPositions() throws SQLException {
        append(0, 90);
        List<String> before =
                workshop.askAll("SELECT position || ' ' || id || ' ' || created_at FROM outbox_message ORDER BY 1");
        workshop.execute("UPDATE outbox_generation SET current = 1 - current");
        append(90, 1);
        look(3);

        assertThat(workshop.ask("SELECT pg_relation_size('outbox_message_0')")).isEqualTo("0");
        assertThat(workshop.askAll("SELECT position || ' ' || id || ' ' || created_at FROM outbox_message ORDER BY 1"))
                .containsAll(before);
        assertThat(drain()).containsExactlyElementsOf(numbers(0, 91));
    }
}
