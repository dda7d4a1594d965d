package io.pigeonhole.jdbc;

import static io.pigeonhole.jdbc.SessionLab.messages;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.replay.ReplayControl;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ReplayState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * MariaDB while every statement may be cancelled, ours and those of handlers. Some of them then answer as if they had met no row, and
 * name no error: see {@link StatementsOfMariaDbTest}.
 */
@ParameterizedClass(name = "{0}, framework: {1}")
@MethodSource("servers")
@Tag("E18")
class KilledStatementsIT {
    private static final int MESSAGES = 200;
    private static final int THREADS = 4;

    private final Workshop workshop;
    private final HikariDataSource pool = new HikariDataSource();
    private final ThreadBoundTransactions framework;
    private final boolean inFramework;
    private final JdbcStore store;

    KilledStatementsIT(MariaDbServer server, boolean inFramework) {
        this.workshop = server.schema();
        this.inFramework = inFramework;
        pool.setJdbcUrl(workshop.url());
        pool.setMaximumPoolSize(THREADS + 2);
        framework = new ThreadBoundTransactions(pool);
        JdbcStore.Builder builder = JdbcStore.builder(pool);
        store = (inFramework ? builder.transactions(framework) : builder).build();
    }

    static Stream<Arguments> servers() {
        return MariaDbServers.all()
                .limit(1)
                .flatMap(server -> Stream.of(true, false).map(inFramework -> Arguments.of(server, inFramework)));
    }

    @AfterEach
    void close() {
        pool.close();
        workshop.close();
    }

    private InboxBuilder<JdbcContext> inbox() {
        return Inbox.builder("it", store)
                .retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(1_000_000))
                .lease(Duration.ofSeconds(1))
                .history(HistoryMode.WITH_PAYLOAD);
    }

    private void write(String payload, JdbcContext context) throws SQLException {
        Connection connection = inFramework ? framework.bound().connection() : context.connection();
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect (text) VALUES (?)")) {
            insert.setString(1, payload);
            insert.executeUpdate();
        }
    }

    private static List<Message> numbered() {
        return messages(IntStream.range(0, MESSAGES).mapToObj(String::valueOf).toArray(String[]::new));
    }

    /** Until it succeeds: all that may be thrown here is a failure that says to try again. */
    private static void untilSuccess(Runnable task) {
        while (true) {
            try {
                task.run();
                return;
            } catch (RetryableException | StoreException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** As a broker does it: what is not settled is delivered again. */
    private static void settle(Inbox<JdbcContext> inbox, List<Message> delivered) {
        List<Outcome> outcomes;
        do {
            outcomes = inbox.process(delivered);
        } while (!outcomes.stream().allMatch(Outcome::settled));
    }

    private static void inThreads(BooleanSupplier isOver, Runnable task) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            running.add(threads.submit(() -> {
                while (!isOver.getAsBoolean()) {
                    untilSuccess(task);
                }
            }));
        }
        threads.shutdown();
        for (Future<?> each : running) {
            try {
                each.get();
            } catch (ExecutionException e) {
                throw new AssertionError(e.getCause());
            }
        }
    }

    private boolean isWorkDone() {
        while (true) {
            try {
                return workshop.ask("SELECT count(*) FROM inbox_work").equals("0");
            } catch (AssertionError e) {
                Thread.onSpinWait(); // It was cancelled.
            }
        }
    }

    private void assertOneEffectEach() {
        assertThat(workshop.askAll("SELECT text FROM effect GROUP BY text HAVING count(*) > 1"))
                .isEmpty();
        assertThat(workshop.ask("SELECT count(*) FROM effect")).isEqualTo(String.valueOf(MESSAGES));
    }

    @Test
    void messagesOfExternalHandlersHaveOneEffectEach() throws InterruptedException {
        Inbox<JdbcContext> inbox = inbox().handleExternal(
                        "note", PayloadDecoder.text(), (payload, context) -> database -> write(payload, database))
                .build();
        inbox.receive(numbered());
        StatementKiller.during(workshop, () -> {
            inThreads(this::isWorkDone, inbox::work);
        });
        assertOneEffectEach();
    }

    @Test
    void messagesInWorkHaveOneEffectEach() throws InterruptedException {
        Inbox<JdbcContext> inbox =
                inbox().handle("note", PayloadDecoder.text(), this::write).build();
        inbox.receive(numbered());
        StatementKiller.during(workshop, () -> {
            inThreads(this::isWorkDone, inbox::work);
        });
        assertOneEffectEach();
    }

    @Test
    void messagesOfABrokerHaveOneEffectEach() throws InterruptedException {
        Inbox<JdbcContext> inbox =
                inbox().handle("note", PayloadDecoder.text(), this::write).build();
        List<Message> messages = numbered();
        inbox.work(); // It is registered, and the schema checked, which takes longer than any statement may here.
        StatementKiller.during(workshop, () -> {
            for (int from = 0; from < MESSAGES; from += 2) {
                List<Message> delivered = messages.subList(from, from + 2);
                untilSuccess(() -> settle(inbox, delivered));
            }
            inThreads(this::isWorkDone, inbox::work);
        });
        assertOneEffectEach();
    }

    @Test
    void replayHandsEachMessageInOnce() throws InterruptedException {
        Inbox<JdbcContext> inbox = inbox().handle("note", PayloadDecoder.text(), (payload, context) -> {})
                .build();
        settle(inbox, numbered());
        Author by = new Author("ann", "a projection anew");
        Replay<JdbcContext> replay = Replay.builder("again", "it", store, by)
                .into(PayloadDecoder.text(), this::write)
                .batch(5)
                .build();
        ReplayControl control = ReplayControl.of(store);
        StatementKiller.during(workshop, () -> {
            untilSuccess(() -> {
                while (replay.run().state() != ReplayState.FINISHED) {
                    untilSuccess(() -> control.resume("again", by)); // A handler's statement was cancelled.
                }
            });
        });
        assertOneEffectEach();
    }
}
