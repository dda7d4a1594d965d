package io.pigeonhole.article;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.OwnThread;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.Workshop;
import io.pigeonhole.testkit.crash.CrashPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The five tests at the end of "Transaction Inbox Pattern: Handle Duplicate Messages Without Data Corruption", on the
 * inventory service of that article: a message reduces a stock of 100 by 5. The status names are the article's; in the view
 * {@code inbox} completed is {@code processed}, processing is {@code leased} (or invisible, in an open transaction), failed
 * is {@code parked}.
 */
@OnEveryServer
class TransactionalInboxArticleIT {
    private static final String STATUS = "SELECT status FROM inbox WHERE consumer = 'inventory'";
    private static final Duration AT_ONCE = Duration.ZERO;

    private final Workshop database;
    private final List<Outcome> told = new ArrayList<>();

    TransactionalInboxArticleIT(PostgresServer server) {
        this.database = server.schema();
    }

    @BeforeEach
    void createStock() {
        database.execute("CREATE TABLE stock (item text PRIMARY KEY, quantity integer NOT NULL)");
        database.execute("INSERT INTO stock VALUES ('book', 100)");
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    @DisplayName("Test 1: crash after business logic, before status update")
    void crashAfterBusinessLogicBeforeStatusUpdate() throws Exception {
        ChildJvm service = die("inline");
        assertThat(service.exitCode()).as(service.output()).isEqualTo(CrashPlan.HALTED);
        assertThat(stock()).isEqualTo(100);

        Inbox<JdbcContext> inbox = reducing(inbox()).build();
        assertThat(inbox.process(order())).isEqualTo(new Outcome.Processed());
        assertThat(inbox.process(order())).isEqualTo(new Outcome.Duplicate());

        assertThat(stock()).isEqualTo(95);
        assertThat(database.ask(STATUS)).isEqualTo("processed");
    }

    /** The article lets one thread meet a constraint violation. Here the loser's insert has no rows, and nobody throws. */
    @Test
    @DisplayName("Test 2: concurrent duplicate messages")
    void concurrentDuplicateMessages() throws Exception {
        CyclicBarrier bothAtOnce = new CyclicBarrier(2);
        AtomicInteger runs = new AtomicInteger();
        Inbox<JdbcContext> inbox = inbox().handle("order.placed", PayloadDecoder.text(), (quantity, context) -> {
                    runs.incrementAndGet();
                    reduce(context, quantity);
                })
                .concurrentDuplicateTimeout(Duration.ofSeconds(30))
                .build();

        List<CompletableFuture<Outcome>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            bothAtOnce.await(30, TimeUnit.SECONDS);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        return inbox.process(order());
                    },
                    OwnThread.FOR_EACH));
        }

        assertThat(List.of(
                        threads.get(0).get(60, TimeUnit.SECONDS), threads.get(1).get(60, TimeUnit.SECONDS)))
                .containsExactlyInAnyOrder(new Outcome.Processed(), new Outcome.Duplicate());
        assertThat(runs).hasValue(1);
        assertThat(stock()).isEqualTo(95);
    }

    @Test
    @DisplayName("Test 3: business logic failure")
    void businessLogicFailure() {
        Inbox<JdbcContext> inbox = failing(2).build();

        assertThat(inbox.process(order())).isInstanceOf(Outcome.Parked.class);
        assertThat(database.ask("SELECT status || ' ' || attempts || ' ' || error FROM inbox"))
                .isEqualTo("parked 1 java.lang.IllegalStateException: no stock today");

        assertThat(inbox.work()).isEqualTo(2);
        assertThat(database.askAll("SELECT number || ' ' || message FROM inbox_attempt ORDER BY number"))
                .containsExactly("1 no stock today", "2 no stock today");
        assertThat(database.ask(STATUS)).isEqualTo("processed");
        assertThat(stock()).isEqualTo(95);
    }

    @Test
    @DisplayName("Test 4: stuck message recovery")
    void stuckMessageRecovery() throws Exception {
        ChildJvm service = die("external");
        assertThat(service.exitCode()).as(service.output()).isEqualTo(CrashPlan.HALTED);
        assertThat(database.ask(STATUS)).isEqualTo("leased");
        Inbox<JdbcContext> inbox = reducing(inbox()).retry(atOnce()).build();
        assertThat(inbox.work()).as("its lease has not run out yet").isZero();

        database.execute("UPDATE inbox_work SET lease_until = clock_timestamp() - interval '10 minutes'");
        inbox.work();

        assertThat(told).hasAtLeastOneElementOfType(Outcome.Parked.class);
        assertThat(database.ask("SELECT error_class || ': ' || message FROM inbox_attempt"))
                .contains("LeaseExpiredException", "ran out 6");
        assertThat(database.ask(STATUS)).isEqualTo("processed");
        assertThat(stock()).isEqualTo(95);
    }

    @Test
    @DisplayName("Test 5: retry cap and dead-lettering")
    void retryCapAndDeadLettering() {
        Inbox<JdbcContext> inbox = failing(Integer.MAX_VALUE).build();

        inbox.process(order());
        inbox.work();

        assertThat(told.get(told.size() - 1)).as("the alert").isInstanceOf(Outcome.Dead.class);
        assertThat(database.ask("SELECT status || ' ' || attempts || ' ' || error FROM inbox"))
                .isEqualTo("dead 3 RETRIES_EXHAUSTED: java.lang.IllegalStateException: no stock today");
        assertThat(inbox.work()).as("it is not tried again").isZero();
        assertThat(inbox.process(order())).isEqualTo(new Outcome.Duplicate());
        assertThat(database.ask("SELECT seen_again FROM inbox_dead_letter")).isEqualTo("1");
        assertThat(stock()).isEqualTo(100);
    }

    static Message order() {
        return Message.builder("orders")
                .id("order-4711")
                .type("order.placed")
                .payload("5")
                .build();
    }

    static InboxBuilder<JdbcContext> reducing(InboxBuilder<JdbcContext> builder) {
        return builder.handle("order.placed", PayloadDecoder.text(), (quantity, context) -> reduce(context, quantity));
    }

    private static void reduce(JdbcContext context, String quantity) {
        context.deferExpecting(
                1, "UPDATE stock SET quantity = quantity - ? WHERE item = 'book'", Integer.parseInt(quantity));
    }

    private InboxBuilder<JdbcContext> failing(int attempts) {
        return inbox().retry(atOnce()).handle("order.placed", PayloadDecoder.text(), (quantity, context) -> {
            reduce(context, quantity);
            if (context.attempt() <= attempts) {
                throw new IllegalStateException("no stock today");
            }
        });
    }

    private static RetryPolicy atOnce() {
        return RetryPolicy.fixed(AT_ONCE).maxAttempts(3);
    }

    private InboxBuilder<JdbcContext> inbox() {
        return Inbox.builder("inventory", JdbcStore.create(database.dataSource()))
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String consumer, Message message, Outcome outcome) {
                        synchronized (told) {
                            told.add(outcome);
                        }
                    }
                });
    }

    private ChildJvm die(String where) {
        Path output = Path.of(System.getProperty("pigeonhole.target", "target"), "article", where + ".out");
        return ChildJvm.start(DyingService.class, output, List.of(database.url(), where));
    }

    private int stock() {
        return Integer.parseInt(database.ask("SELECT quantity FROM stock"));
    }
}
