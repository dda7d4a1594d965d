package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A handler stays away from the database for longer than {@code handlerTimeout}, but not for twice as long. Its transaction is ended while it
 * runs, and another node begins with the same message before it returns, and loses it in the same way.
 */
@ParameterizedClass
@MethodSource("servers")
@Tag("B11")
@Tag("full")
class SlowWorkOfTwoNodesIT {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final Workshop workshop;
    private final CountDownLatch never = new CountDownLatch(1);

    SlowWorkOfTwoNodesIT(DatabaseServer server) {
        this.workshop = server.schema();
    }

    /** H2 ends no transaction. */
    static List<DatabaseServer> servers() {
        return List.of(PostgresServers.embedded(), MariaDbServers.embedded());
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private Inbox<JdbcContext> inbox(JdbcStore store, KeyOrder order) {
        return Inbox.builder("slow", store)
                .order(order)
                .workPartitions(1)
                .handlerTimeout(LIMIT)
                .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(2))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                    if (payload.equals("slow")) {
                        boolean ended = never.await(LIMIT.toMillis() * 3 / 2, TimeUnit.MILLISECONDS);
                        assertThat(ended).isFalse();
                    }
                })
                .build();
    }

    private Node node(KeyOrder order) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        return Node.builder(store)
                .inbox(inbox(store, order))
                .pollInterval(Duration.ofMillis(200))
                .start();
    }

    @ParameterizedTest
    @EnumSource(
            value = KeyOrder.class,
            names = {"NONE", "SKIP_DEAD_LETTERS"})
    void messageIsADeadLetterInTheEndAndTheOthersOfItsWorkPartitionTakeEffect(KeyOrder order) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        inbox(store, order).receive(List.of(note("slow"), note("1"), note("2"), note("3")));
        try (Node first = node(order);
                Node second = node(order)) {
            assertThat(List.of(first, second)).doesNotContainNull();
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_dead_letter"))
                        .isEqualTo("1");
                assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_work")).isEqualTo("0");
            });
        }
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2", "3");
    }

    private static Message note(String id) {
        return Message.builder("queue")
                .id(id)
                .type("note")
                .orderingKey(id)
                .payload(id)
                .build();
    }
}
