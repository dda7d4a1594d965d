package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever takes so many messages takes, changes and locks no more, whichever plan the database makes: a subquery with a limit
 * that is run once for each row chooses others each time.
 */
@ParameterizedClass
@MethodSource("plans")
@Tag("F21")
class WorkLimitsIT {
    private static final int MESSAGES = 60;
    private static final int LIMIT = 5;
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Workshop workshop;
    private final JdbcStore store;

    WorkLimitsIT(DatabaseServer server, String settings) {
        this.workshop = server.sharedSchema();
        this.store = JdbcStore.create(workshop.dataSource(settings));
    }

    /** Servers, with settings of the connection that make some plans impossible. */
    static Stream<Arguments> plans() {
        Stream<Arguments> postgres = PostgresServers.all()
                .flatMap(server -> Stream.of(
                                "",
                                without("hashjoin", "mergejoin", "material", "hashagg", "sort"),
                                without("seqscan"),
                                "&prepareThreshold=1&options=-c%20plan_cache_mode=force_generic_plan")
                        .map(settings -> Arguments.of(server, settings)));
        Stream<Arguments> others =
                Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES)).map(server -> Arguments.of(server, ""));
        return Stream.concat(postgres, others);
    }

    private static String without(String... waysToPlan) {
        return Stream.of(waysToPlan)
                .map(way -> "-c%20enable_" + way + "=off")
                .collect(Collectors.joining("%20", "&options=-c%20jit=off%20", ""));
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "SKIP_DEAD_LETTERS"})
    void noMoreIsTakenThanTheLimitSays(KeyOrder order) throws SQLException {
        RegisteredConsumer consumer = waiting(order, false);
        assertThat(lockedBy(
                        consumer,
                        transaction -> transaction.take(consumer, 0, LIMIT).size()))
                .isEqualTo(LIMIT);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "SKIP_DEAD_LETTERS"})
    void noMoreIsLeasedThanTheLimitSays(KeyOrder order) throws SQLException {
        RegisteredConsumer consumer = waiting(order, true);
        assertThat(lockedBy(
                        consumer,
                        transaction -> transaction
                                .lease(consumer, 0, LIMIT, "node", LEASE)
                                .size()))
                .isEqualTo(LIMIT);
        assertThat(leased(consumer)).isEqualTo(LIMIT);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "SKIP_DEAD_LETTERS"})
    void noMoreExpiredLeasesAreTakenThanTheLimitSays(KeyOrder order) throws SQLException {
        RegisteredConsumer consumer = waiting(order, true);
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            assertThat(transaction.lease(consumer, 0, MESSAGES, "node", LEASE)).hasSize(MESSAGES);
            transaction.commit();
        }
        workshop.execute("UPDATE inbox_work SET lease_until = leased_at WHERE consumer_id = ?", consumer.id());
        assertThat(lockedBy(
                        consumer,
                        transaction -> transaction.takeExpired(consumer, LIMIT).size()))
                .isEqualTo(LIMIT);
    }

    /** A consumer with messages that are due, each of a key of its own. */
    private RegisteredConsumer waiting(KeyOrder order, boolean byLease) {
        RegisteredConsumer consumer =
                store.register(new ConsumerRegistration("limits " + UUID.randomUUID(), IdForm.TIME_ORDERED, order, 1));
        StoreLab lab = new StoreLab(store, consumer);
        List<ReceivedMessage> received = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            Message message = Message.builder("notes")
                    .id("id " + UUID.randomUUID())
                    .type("note")
                    .orderingKey("key " + i)
                    .build();
            received.add(new ReceivedMessage(lab.keyOf(message), message, byLease));
        }
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            transaction.receive(consumer, received);
            transaction.commit();
        }
        return consumer;
    }

    /** How many of the consumer's messages nobody else can have, after something that answers how many it took. */
    private int lockedBy(RegisteredConsumer consumer, ToIntFunction<InboxTransaction<JdbcContext>> taking)
            throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = store.begin(StoreLab.IDLE_LIMIT)) {
            assertThat(taking.applyAsInt(transaction)).isEqualTo(LIMIT);
            int locked = MESSAGES - free(consumer);
            transaction.commit();
            return locked;
        }
    }

    private int free(RegisteredConsumer consumer) throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT id FROM inbox_work WHERE consumer_id = ? FOR UPDATE SKIP LOCKED")) {
            statement.setShort(1, consumer.id());
            try (ResultSet rows = statement.executeQuery()) {
                int free = 0;
                while (rows.next()) {
                    free++;
                }
                return free;
            }
        }
    }

    private int leased(RegisteredConsumer consumer) {
        return Integer.parseInt(workshop.ask(
                "SELECT count(*) FROM inbox_work WHERE consumer_id = ? AND status = 'leased'", consumer.id()));
    }
}
