package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** Where it is slow. */
    enum Slow {
        RETURNS,
        THROWS,
        DECODES
    }

    private Inbox<JdbcContext> inbox(JdbcStore store, KeyOrder order, Slow how) {
        return Inbox.builder("slow", store)
                .order(order)
                .workPartitions(1)
                .handlerTimeout(LIMIT)
                .retry(RetryPolicy.fixed(Duration.ofMillis(100)).maxAttempts(2))
                .handle(
                        "note",
                        payload -> {
                            String text = PayloadDecoder.text().decode(payload);
                            if (how == Slow.DECODES) {
                                takeLong(text);
                            }
                            return text;
                        },
                        (text, context) -> {
                            context.defer("INSERT INTO effect (text) VALUES (?)", text);
                            if (how != Slow.DECODES) {
                                takeLong(text);
                            }
                            if (how == Slow.THROWS && text.startsWith("slow")) {
                                throw new IllegalStateException("the other service does not answer");
                            }
                        })
                .build();
    }

    private void takeLong(String text) throws InterruptedException {
        if (text.startsWith("slow")) {
            boolean ended = never.await(LIMIT.toMillis() * 3 / 2, TimeUnit.MILLISECONDS);
            assertThat(ended).isFalse();
        }
    }

    private Node node(KeyOrder order, Slow how) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        return Node.builder(store)
                .inbox(inbox(store, order, how))
                .pollInterval(Duration.ofMillis(200))
                .start();
    }

    @ParameterizedTest
    @CsvSource({"NONE,RETURNS", "SKIP_DEAD_LETTERS,RETURNS", "NONE,THROWS", "SKIP_DEAD_LETTERS,DECODES"})
    void messagesAreDeadLettersInTheEndAndTheOthersOfTheirWorkPartitionTakeEffect(KeyOrder order, Slow how) {
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        inbox(store, order, how).receive(List.of(note("slow"), note("1"), note("slow too"), note("2"), note("3")));
        try (Node first = node(order, how);
                Node second = node(order, how)) {
            assertThat(List.of(first, second)).doesNotContainNull();
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_dead_letter"))
                        .isEqualTo("2");
                assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_work")).isEqualTo("0");
            });
        }
        assertThat(workshop.askAll("SELECT text FROM effect ORDER BY text")).containsExactly("1", "2", "3");
    }

    /** As where a producer has sent it twice, and each node has a copy. */
    @Test
    void messageOfWhichTwoNodesHaveACopyIsADeadLetterInTheEnd() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(2);
        try (Node worker = node(KeyOrder.NONE, Slow.RETURNS)) {
            assertThat(worker).isNotNull();
            List<Future<?>> settled = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Inbox<JdbcContext> inbox = inbox(JdbcStore.create(workshop.dataSource()), KeyOrder.NONE, Slow.RETURNS);
                settled.add(nodes.submit(() -> handInUntilSettled(inbox)));
            }
            for (Future<?> each : settled) {
                each.get(60, TimeUnit.SECONDS);
            }
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_dead_letter"))
                            .isEqualTo("1"));
        } finally {
            nodes.shutdownNow();
        }
    }

    private static void handInUntilSettled(Inbox<JdbcContext> inbox) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                if (inbox.process(note("slow")).settled()) {
                    return;
                }
            } catch (RetryableException e) {
                LockSupport.parkNanos(1_000_000);
            }
        }
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
