package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.broker.InMemoryPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages to send that are appended in transactions of callers, and what the order of positions says. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.DeferredParameterIT#servers")
class OutboxIT {
    private final DatabaseServer server;
    private final Workshop workshop;
    private final JdbcStore store;
    private final String destination = "destination " + UUID.randomUUID();

    OutboxIT(DatabaseServer server) {
        this.server = server;
        workshop = server.sharedSchema();
        store = JdbcStore.create(workshop.dataSource());
    }

    private Connection begin() throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private OutboxMessage toSend(String payload) {
        return OutboxMessage.to(destination).key("k").type(payload).build();
    }

    /** The types of what is stored, which say what it is. */
    private List<String> stored() {
        return workshop.askAll("SELECT type FROM outbox_message WHERE destination = ? ORDER BY position", destination);
    }

    private String otherSchema() {
        if (server instanceof PostgresServer) {
            return "SET search_path TO pg_catalog";
        }
        return server instanceof MariaDbServer ? "USE information_schema" : "SET SCHEMA INFORMATION_SCHEMA";
    }

    @Test
    void messagesOfACallerAreThereOnceHeCommits() throws SQLException {
        try (Connection connection = begin()) {
            store.outbox(connection).append(toSend("gone"));
            connection.rollback();
            assertThat(store.outbox(connection).appendAll(List.of(toSend("1"), toSend("2"))))
                    .hasSize(2)
                    .doesNotHaveDuplicates();
            assertThat(store.appendedTo(destination)).isEmpty();
            connection.commit();
        }
        assertThat(stored()).containsExactly("1", "2");
        assertThat(store.appendedTo(destination)).hasSize(1);
    }

    @Test
    void messagesAreAppendedTogetherWhereADriverMakesOneInsertOfMany() throws SQLException {
        assumeTrue(server instanceof PostgresServer, "a setting of PostgreSQL's driver");
        DataSource rewriting = workshop.dataSource("&reWriteBatchedInserts=true");
        try (Connection connection = rewriting.getConnection()) {
            connection.setAutoCommit(false);
            List<OutboxMessage> many =
                    IntStream.range(0, 20).mapToObj(i -> toSend("" + i)).toList();
            JdbcStore.create(rewriting).outbox(connection).appendAll(many);
            connection.commit();
        }
        assertThat(stored())
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(String::valueOf).toList());
    }

    @Test
    void rowThatMakesNoMessageBecomesADeadLetterAndKeepsNoOtherKeyFromBeingPublished() throws SQLException {
        OutboxMessage other =
                OutboxMessage.to(destination).key("another").type("4").build();
        try (Connection connection = begin()) {
            store.outbox(connection).appendAll(List.of(toSend("1"), toSend("damaged"), toSend("3"), other));
            connection.commit();
        }
        byte[] ofAnotherVersion = {2, 0, 0};
        workshop.execute(
                "UPDATE outbox_message SET headers = ? WHERE destination = ? AND type = 'damaged'",
                ofAnotherVersion,
                destination);
        InMemoryPublisher publisher = InMemoryBroker.create().publisher("sent");
        Relay relay = Relay.builder(destination, store, publisher)
                .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .retry(RetryPolicy.standard().on(RuntimeException.class, Reaction.IGNORE))
                .build();
        Admin admin = Admin.of(store.adminStore());
        try (Node node = Node.builder(store).relay(relay).start()) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> stored().isEmpty() && publisher.published().size() == 2 && relay.dead() == 1);
            assertThat(node.health().isHealthy()).isTrue();

            DeadLetterEntry letter = onlyLetter(admin, relay);
            assertThat(admin.show(relay.consumer(), letter.message().key()))
                    .hasValueSatisfying(details -> assertThat(Objects.requireNonNull(details.message())
                                    .headers()
                                    .last(AppendedMessage.UNREADABLE_HEADERS))
                            .isEqualTo(ofAnotherVersion));

            // What would be sent is not what was appended.
            admin.requeue(
                    relay.consumer(), letter.message().key(), Requeue.atOnce(), new Author("somebody", "in vain"));
            await().atMost(Duration.ofSeconds(20)).until(() -> relay.dead() == 2);
            assertThat(onlyLetter(admin, relay).reason()).isEqualTo(DeadReason.UNDECODABLE);
        }
        assertThat(publisher.published()).extracting(Message::type).containsExactlyInAnyOrder("1", "4");
    }

    private static DeadLetterEntry onlyLetter(Admin admin, Relay relay) {
        List<DeadLetterEntry> letters = admin.deadLetters(DeadLetterFilter.of(relay.consumer()), PageRequest.first(10))
                .entries();
        assertThat(letters).hasSize(1);
        return letters.get(0);
    }

    @Test
    void connectionThatCommitsByItselfIsRefused() throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection()) {
            assertThatThrownBy(() -> store.outbox(connection).append(toSend("1")))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(stored()).isEmpty();
    }

    @Test
    void transactionThatOnlyReadsIsRefused() throws SQLException {
        assumeFalse(server instanceof H2Server, "H2 knows no transaction that only reads");
        try (Connection connection = workshop.dataSource().getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            try {
                assertThatThrownBy(() -> store.outbox(connection).append(toSend("1")))
                        .isInstanceOfAny(ConfigurationException.class, StoreException.class);
            } finally {
                connection.rollback();
                connection.setReadOnly(false);
                connection.setAutoCommit(true);
            }
        }
        assertThat(stored()).isEmpty();
    }

    @Test
    void handlerThatLooksIntoAnotherSchemaAppendsToTheOutboxOfTheStore() {
        Inbox<JdbcContext> inbox = Inbox.builder("consumer " + UUID.randomUUID(), store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    try (Statement statement = context.connection().createStatement()) {
                        statement.execute(otherSchema());
                    }
                    context.outbox().append(toSend(payload));
                })
                .build();
        Message message = Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload("1")
                .build();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(stored()).hasSize(1);
    }

    @Test
    void handlersOwnConnectionLeadsToTheSameOutbox() {
        Inbox<JdbcContext> inbox = Inbox.builder("consumer " + UUID.randomUUID(), store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    context.outbox().append(toSend("1"));
                    store.outbox(context.connection()).append(toSend("2"));
                    context.outbox().append(toSend("3"));
                })
                .build();
        Message message = Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload("x")
                .build();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(stored()).containsExactly("1", "2", "3");
    }

    @Test
    void nameOfARelaysConsumerIsRefusedForAnInbox() {
        assertThatThrownBy(() -> Inbox.builder("outbox.orders", store))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("outbox.");
    }

    @Test
    void transactionsThatAppendToOneKeyWaitForEachOtherWhereTheOrderIsStrict() throws Exception {
        JdbcStore strict =
                JdbcStore.builder(workshop.dataSource()).strictOutboxOrder(true).build();
        try (Connection first = begin();
                Connection second = begin();
                Connection third = begin()) {
            strict.outbox(first).append(toSend("1"));
            strict.outbox(third)
                    .append(OutboxMessage.to(destination)
                            .key("another")
                            .type("of another key")
                            .build());
            CompletableFuture<UUID> waiting =
                    CompletableFuture.supplyAsync(() -> strict.outbox(second).append(toSend("3")));
            assertThatThrownBy(() -> waiting.get(500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            strict.outbox(first).append(toSend("2"));
            first.commit();
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isNotNull();
            second.commit();
            third.rollback();
        }
        assertThat(stored()).containsExactly("1", "2", "3");
    }

    @Test
    void transactionsDoNotWaitForEachOtherOtherwise() throws Exception {
        try (Connection first = begin();
                Connection second = begin()) {
            store.outbox(first).append(toSend("1"));
            CompletableFuture<UUID> other =
                    CompletableFuture.supplyAsync(() -> store.outbox(second).append(toSend("2")));
            assertThat(other.get(20, TimeUnit.SECONDS)).isNotNull();
            second.commit();
            first.commit();
        }
        assertThat(stored()).hasSize(2);
    }
}
