package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import java.io.Reader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Handlers that never return, whatever interrupts them, as a call without a timeout does: on the databases that end a transaction in which
 * nothing happens.
 */
@ParameterizedClass
@MethodSource("servers")
@Tag("B11")
@SuppressWarnings("try") // The nodes work by themselves until they are closed.
@Tag("full")
class HangingHandlerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int MOST_ATTEMPTS = 2;

    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger inHandlers = new AtomicInteger();
    private final JdbcStore store;
    private final String consumer = "it " + UUID.randomUUID();

    HangingHandlerIT(DatabaseServer server) {
        workshop = server.schema();
        pool.setDataSource(workshop.dataSource());
        // Fewer than threads that hang.
        pool.setMaximumPoolSize(6);
        // A server is shared by many tests.
        pool.setMinimumIdle(0);
        store = JdbcStore.create(pool);
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(
                PostgresServers.all().limit(1), MariaDbServers.all().limit(1));
    }

    @AfterEach
    void close() {
        end.countDown();
        pool.close();
        workshop.close();
    }

    private Inbox<JdbcContext> inbox() {
        return inbox(Duration.ofSeconds(1));
    }

    private Inbox<JdbcContext> inbox(Duration lease) {
        return Inbox.builder(consumer, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.startsWith("hangs")) {
                        calls.incrementAndGet();
                        // As most do that hang in something else.
                        context.connection().getMetaData();
                        hang();
                        if (payload.endsWith("elsewhere")) {
                            throw new SQLException("the other database is gone", "08006");
                        }
                    } else if (payload.equals("late")) {
                        calls.incrementAndGet();
                        awaitInterrupt();
                    } else if (payload.startsWith("reader")) {
                        calls.incrementAndGet();
                        context.defer("INSERT INTO effect (text) VALUES (?)", new ReaderThatNeverReturns());
                        return;
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .handlerTimeout(Duration.ofMillis(200))
                .lease(lease)
                .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(MOST_ATTEMPTS))
                .build();
    }

    private void hang() {
        inHandlers.incrementAndGet();
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // As a call does that reads from a socket.
            }
        }
        inHandlers.decrementAndGet();
    }

    private void awaitInterrupt() {
        try {
            end.await();
        } catch (InterruptedException e) {
            // It goes on as if nothing had been.
        }
    }

    private final class ReaderThatNeverReturns extends Reader {
        @Override
        public int read(char[] buffer, int offset, int length) {
            hang();
            return -1;
        }

        @Override
        public void close() {}
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .orderingKey("all in one delivery thread")
                .payload(payload)
                .build();
    }

    private List<String> effects() {
        return workshop.askAll("SELECT text FROM effect ORDER BY text");
    }

    private List<String> deadReasons() {
        return workshop.askAll("SELECT reason FROM inbox_dead_letter");
    }

    /** One delivery thread, so that everything waits for what hangs in it. */
    @Test
    void messageWhoseHandlerNeverReturnsBecomesADeadLetterAndTheOthersOfItsThreadGoOn() {
        InMemoryBroker broker = InMemoryBroker.create();
        Inbox<JdbcContext> inbox = inbox();
        Stream.of("a", "hangs", "b").map(HangingHandlerIT::message).forEach(note -> broker.send("notes", note));
        try (Node node = Node.builder(store)
                .source(broker.source(inbox, "notes"))
                .leaseWorkers(1)
                .start()) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a", "b"));
            broker.send("notes", message("c"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a", "b", "c"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(deadReasons()).containsExactly("RETRIES_EXHAUSTED"));
            await().atMost(PATIENCE).until(() -> broker.unacknowledged("notes") == 0);
            end.countDown();
        }
        assertThat(calls.get()).isBetween(MOST_ATTEMPTS, MOST_ATTEMPTS + 1);
    }

    /** Two nodes, whose threads would hang in it one after the other. */
    @Test
    void workWhoseHandlerNeverReturnsBecomesADeadLetterAndTheOthersGoOn() {
        Inbox<JdbcContext> one = inbox();
        Inbox<JdbcContext> two = inbox();
        Stream.of("a", "hangs", "b").map(HangingHandlerIT::message).forEach(one::receive);
        try (Node first = Node.builder(store)
                        .inbox(one)
                        .workers(1)
                        .leaseWorkers(1)
                        .start();
                Node second = Node.builder(store)
                        .inbox(two)
                        .workers(1)
                        .leaseWorkers(1)
                        .start()) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a", "b"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(deadReasons()).containsExactly("RETRIES_EXHAUSTED"));
            one.receive(message("c"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a", "b", "c"));
            end.countDown();
        }
        // Each node may have begun with it once before it was left for leases.
        assertThat(calls.get()).isBetween(MOST_ATTEMPTS, MOST_ATTEMPTS + 2);
    }

    /** It says nothing about this database, and others have its work by then. */
    @Test
    void lateReturnOfAWorkersHandlerWithTheErrorOfAnotherDatabaseWarnsOfNothing() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.core.node.Workers");
        logger.addAppender(lines);
        Inbox<JdbcContext> inbox = inbox();
        inbox.receive(message("hangs elsewhere"));
        try (Node node =
                Node.builder(store).inbox(inbox).workers(1).leaseWorkers(1).start()) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(deadReasons()).containsExactly("RETRIES_EXHAUSTED"));
            end.countDown();
            await().atMost(PATIENCE).until(() -> inHandlers.get() == 0);
            inbox.receive(message("a"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a"));
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).filteredOn(line -> line.getLevel() == Level.WARN).isEmpty();
    }

    /** They would empty the pool, and every inbox on it would stand still. */
    @Test
    void threadsThatHangKeepNoConnections() {
        InMemoryBroker broker = InMemoryBroker.create();
        Inbox<JdbcContext> inbox = inbox();
        List<String> hanging = List.of("hangs 1", "reader 2", "reader 3");
        hanging.stream().map(HangingHandlerIT::message).forEach(note -> broker.send("notes", note));
        try (Node node = Node.builder(store)
                .source(broker.source(inbox, "notes"))
                .leaseWorkers(1)
                .start()) {
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(deadReasons()).hasSameSizeAs(hanging).containsOnly("RETRIES_EXHAUSTED"));
            // What one message has deferred is not read where that of another hangs.
            assertThat(inHandlers.get()).isGreaterThanOrEqualTo(pool.getMaximumPoolSize());
            broker.send("notes", message("a"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                            .isLessThan(3));
            end.countDown();
        }
    }

    /** The database has ended the transaction meanwhile, which is not what the attempt failed with. */
    @Test
    void handlerThatReturnsWithoutAWordAfterItsInterruptHasTakenTooLong() {
        Inbox<JdbcContext> inbox = inbox(Duration.ofSeconds(5));
        inbox.receive(message("late"));
        try (Node node =
                Node.builder(store).inbox(inbox).workers(1).leaseWorkers(1).start()) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(deadReasons()).containsExactly("RETRIES_EXHAUSTED"));
        }
        assertThat(workshop.askAll("SELECT detail FROM inbox_dead_letter"))
                .allSatisfy(error -> assertThat(error).contains("handlerTimeout"));
        assertThat(calls.get()).isLessThanOrEqualTo(MOST_ATTEMPTS + 1);
    }

    @Test
    void valueThatNeverReturnsWhenItIsReadIsLikeAHandler() {
        InMemoryBroker broker = InMemoryBroker.create();
        Inbox<JdbcContext> inbox = inbox();
        Stream.of("a", "reader", "b").map(HangingHandlerIT::message).forEach(note -> broker.send("notes", note));
        try (Node node = Node.builder(store)
                .source(broker.source(inbox, "notes"))
                .leaseWorkers(1)
                .start()) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(effects()).containsExactly("a", "b"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(deadReasons()).containsExactly("RETRIES_EXHAUSTED"));
            end.countDown();
        }
    }
}
