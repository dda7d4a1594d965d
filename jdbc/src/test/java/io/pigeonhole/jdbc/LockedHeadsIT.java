package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Somebody's transaction has locked the heads of very many keys: to find what is left takes a few statements. */
class LockedHeadsIT {
    private static final int KEYS = 200;

    /** One statement each for what begins and enters, and on some databases as many as it takes to double up to the keys. */
    private static final int FEW = 25;

    private static final Duration LEASE = Duration.ofMinutes(1);

    static Stream<Arguments> looks() {
        return AnyDatabase.all()
                .flatMap(server -> Stream.of(
                        Arguments.of(server, false, 1),
                        Arguments.of(server, false, 50),
                        Arguments.of(server, true, 1)));
    }

    @ParameterizedTest
    @MethodSource("looks")
    void lookPastManyLockedHeadsTakesAFewStatements(DatabaseServer server, boolean byLease, int limit)
            throws SQLException {
        CountingDataSource counting =
                new CountingDataSource(server.sharedSchema().dataSource());
        JdbcStore store = JdbcStore.create(counting.dataSource());
        StoreLab lab = new StoreLab(
                store,
                store.register(new ConsumerRegistration(
                        "it " + UUID.randomUUID(), IdForm.TIME_ORDERED, KeyOrder.SKIP_DEAD_LETTERS, 1)));
        receive(lab, byLease, KEYS, true);
        List<Long> ids = ids(server, lab);
        Long last = ids.get(KEYS - 1);

        try (InboxTransaction<JdbcContext> holder = lab.begin()) {
            assertThat(holder.retake(lab.consumer(), ids.subList(0, KEYS - 1))).hasSize(KEYS - 1);
            assertThat(found(lab, counting, byLease, limit)).containsExactly(last);
            assertThat(holder.retake(lab.consumer(), List.of(last))).hasSize(1);
            assertThat(found(lab, counting, byLease, limit)).isEmpty();
        }
    }

    static Stream<DatabaseServer> servers() {
        return AnyDatabase.all();
    }

    /** A server may read, and so lock, all of a table where it looks for a thousand of its rows. */
    @ParameterizedTest
    @MethodSource("servers")
    void takeOfVeryManyMessagesLeavesThoseOfOthersToThem(DatabaseServer server) {
        JdbcStore store = JdbcStore.create(server.sharedSchema().dataSource());
        StoreLab many = withoutOrder(store);
        StoreLab others = withoutOrder(store);
        receive(many, false, 1_500, false);
        receive(others, false, 20, false);

        try (InboxTransaction<JdbcContext> worker = many.begin();
                InboxTransaction<JdbcContext> other = others.begin()) {
            assertThat(worker.enter(many.consumer(), 0)).isTrue();
            List<WorkItem> items = worker.take(many.consumer(), 0, 1_200);
            assertThat(items).hasSize(1_200);
            assertThat(other.enter(others.consumer(), 0)).isTrue();
            assertThat(other.take(others.consumer(), 0, 20)).hasSize(20);
            worker.finish(many.consumer(), items);
            worker.commit();
        }
    }

    private static StoreLab withoutOrder(JdbcStore store) {
        return new StoreLab(
                store,
                store.register(
                        new ConsumerRegistration("it " + UUID.randomUUID(), IdForm.TIME_ORDERED, KeyOrder.NONE, 1)));
    }

    private static List<Long> found(StoreLab lab, CountingDataSource counting, boolean byLease, int limit) {
        counting.clear();
        try (InboxTransaction<JdbcContext> worker = lab.begin()) {
            assertThat(worker.enter(lab.consumer(), 0)).isTrue();
            List<WorkItem> items = byLease
                    ? worker.lease(lab.consumer(), 0, limit, "node", LEASE)
                    : worker.take(lab.consumer(), 0, limit);
            assertThat(counting.statements().size()).isLessThanOrEqualTo(FEW);
            return items.stream().map(WorkItem::id).toList();
        }
    }

    private static void receive(StoreLab lab, boolean byLease, int count, boolean ofKeys) {
        List<ReceivedMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Message.Builder builder = Message.builder("notes").id("id " + i).type("note");
            Message message = (ofKeys ? builder.orderingKey("key " + i) : builder).build();
            messages.add(new ReceivedMessage(lab.keyOf(message), message, byLease));
        }
        List<MessageKey> keys =
                messages.stream().map(ReceivedMessage::key).sorted().toList();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(lab.consumer(), keys, StoreLab.LONG);
            transaction.receive(lab.consumer(), messages);
            transaction.commit();
        }
    }

    /** In the order of their arrival. */
    private static List<Long> ids(DatabaseServer server, StoreLab lab) throws SQLException {
        try (Connection connection = server.sharedSchema().dataSource().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT id FROM inbox_work WHERE consumer_id = ? ORDER BY id")) {
            statement.setShort(1, lab.consumer().id());
            try (ResultSet rows = statement.executeQuery()) {
                List<Long> ids = new ArrayList<>();
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
                return ids;
            }
        }
    }
}
