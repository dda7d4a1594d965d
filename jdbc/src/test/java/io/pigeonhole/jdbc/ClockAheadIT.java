package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What was written while the database's clock was ahead does not wait until the clock is there again. */
@ParameterizedClass
@MethodSource("servers")
class ClockAheadIT {
    private static final Author ANN = new Author("ann", "the clock is right again");
    private static final Duration AHEAD = Duration.ofHours(20);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Workshop workshop;
    private final DatabaseServer.MovableClock clock;
    private final JdbcStore store;

    ClockAheadIT(DatabaseServer server) {
        workshop = server.schema();
        clock = server.clock(workshop);
        store = JdbcStore.create(clock.dataSource());
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private static Message message(String payload, String key) {
        return Message.builder("notes")
                .id(payload)
                .type("note")
                .orderingKey(key)
                .payload(payload)
                .build();
    }

    @Test
    void messagesThatWereStoredMeanwhileAreDueOnceTheClockIsConfirmed() {
        List<String> done = new CopyOnWriteArrayList<>();
        Inbox<JdbcContext> inbox = Inbox.builder("ahead", store)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(9))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    done.add(payload);
                    if (done.size() == 1) {
                        throw new IllegalStateException("once");
                    }
                })
                .build();
        clock.advance(AHEAD);
        inbox.process(message("fails once", "k"));
        inbox.receive(List.of(message("received", "l")));
        clock.reset();
        assertThat(inbox.process(message("behind", "k")).kind()).isEqualTo(Outcome.Kind.RECEIVED);
        assertThat(inbox.work()).isZero();

        Answer answer = store.admin().confirmClock(ANN);
        while (inbox.work() > 0) {
            // The next one.
        }

        assertThat(answer.kind()).isEqualTo(Answer.Kind.DONE);
        assertThat(answer.detail()).contains("2 messages");
        assertThat(done).containsExactlyInAnyOrder("fails once", "fails once", "received", "behind");
        assertThat(store.admin().confirmClock(ANN).kind()).isEqualTo(Answer.Kind.UNCHANGED);
    }

    @Test
    void agesOfWhatWasStoredMeanwhileCountFromTheConfirmationOfTheClock() {
        Inbox<JdbcContext> inbox = Inbox.builder("ahead", store)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(9).maxAge(Duration.ofHours(1)))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new IllegalStateException("always");
                })
                .build();
        clock.advance(AHEAD);
        inbox.process(message("fails", "k"));
        clock.reset();

        store.admin().confirmClock(ANN);

        assertThat(
                        workshop.ask(
                                "SELECT count(*) FROM inbox_work WHERE received_at <= updated_at AND retry_since <= updated_at"))
                .isEqualTo("1");
        clock.advance(Duration.ofHours(2));
        inbox.work();
        assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter"))
                .as("older than an hour")
                .isEqualTo("1");
    }

    @Test
    void leaseThatWasProlongedMeanwhileRunsOutOnceTheClockIsConfirmed() {
        RegisteredConsumer consumer =
                store.register(new ConsumerRegistration("ahead", IdForm.TIME_ORDERED, KeyOrder.NONE, 1));
        Inbox<JdbcContext> inbox = Inbox.builder("ahead", store)
                .workPartitions(1)
                .handleExternal("note", PayloadDecoder.text(), (payload, external) -> context -> {})
                .build();
        inbox.receive(List.of(message("leased", "k")));
        List<WorkItem> items;
        try (InboxTransaction<JdbcContext> transaction = store.begin(LEASE)) {
            items = transaction.lease(consumer, 0, 10, "node", LEASE);
            transaction.commit();
        }
        clock.advance(AHEAD);
        assertThat(store.heartbeat().prolong(consumer, items, LEASE)).hasSize(1);
        clock.reset();

        store.admin().confirmClock(ANN);
        clock.advance(LEASE.multipliedBy(2));

        try (InboxTransaction<JdbcContext> transaction = store.begin(LEASE)) {
            assertThat(transaction.takeExpired(consumer, 10, 1000)).hasSize(1);
        }
    }

    /** Another process begins. */
    private int begin(RegisteredConsumer consumer) {
        Start start = new Start("work partition 1", "7", UUID.randomUUID().toString());
        return store.started(consumer, start, 3, Duration.ofMinutes(1));
    }

    @Test
    void beginningThatWasNotedMeanwhileIsNotFresh() {
        RegisteredConsumer consumer = store.register(new ConsumerRegistration("ahead", IdForm.TIME_ORDERED));
        clock.advance(AHEAD);
        for (int i = 1; i <= 3; i++) {
            assertThat(begin(consumer)).isEqualTo(i);
        }
        assertThat(begin(consumer)).isZero();

        clock.reset();

        assertThat(begin(consumer)).isEqualTo(4);
        assertThat(begin(consumer)).isZero();
    }

    @Test
    void beginningThatIsAMomentAheadIsFresh() {
        RegisteredConsumer consumer = store.register(new ConsumerRegistration("ahead", IdForm.TIME_ORDERED));
        clock.advance(Duration.ofSeconds(5));
        for (int i = 1; i <= 3; i++) {
            assertThat(begin(consumer)).isEqualTo(i);
        }

        clock.reset();

        assertThat(begin(consumer)).isZero();
    }
}
