package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A change finds the message that somebody else moves at that moment, from the dead letters to work or within them. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
class MessageMovedMeanwhileIT {
    private static final String LETTERS = "inbox_dead_letter";
    private static final Author ANN = new Author("ann", "a test");
    private static final Author BOB = new Author("bob", "this one must not happen");
    private static final Duration LONG = Duration.ofSeconds(30);

    private final String consumer = "moved " + UUID.randomUUID();
    private final DatabaseServer server;
    private final Workshop workshop;
    private final JdbcStore store;
    private final int number;
    private final MessageKey key;

    MessageMovedMeanwhileIT(DatabaseServer server) {
        this.server = server;
        this.workshop = server.sharedSchema();
        this.store = JdbcStore.create(workshop.dataSource());
        Inbox<JdbcContext> inbox = Inbox.builder(consumer, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new PermanentFailure(payload);
                })
                .build();
        Message message =
                Message.builder("notes").id("1").type("note").payload("x").build();
        inbox.process(message);
        this.number = inbox.registered().id();
        this.key = inbox.registered().keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
    }

    private static Admin admin(DataSource dataSource) {
        return JdbcStore.create(dataSource).admin();
    }

    private Answer requeue(DataSource dataSource) {
        return admin(dataSource).requeue(consumer, key, Requeue.atOnce(), ANN);
    }

    private Answer discard(DataSource dataSource) {
        return admin(dataSource).discard(consumer, key, BOB);
    }

    private Answer change(String way, DataSource dataSource) {
        return way.equals("discard") ? discard(dataSource) : requeue(dataSource);
    }

    private static void assertDone(Answer answer) {
        assertThat(answer.kind()).as(answer.detail()).isEqualTo(Answer.Kind.DONE);
    }

    private void assertDiscarded() {
        assertThat(store.admin().show(consumer, key))
                .map(MessageDetails::status)
                .contains(MessageStatus.DISCARDED);
        for (String table : List.of("inbox_work", LETTERS)) {
            assertThat(workshop.ask("SELECT count(*) FROM " + table + " WHERE consumer_id = " + number))
                    .isEqualTo("0");
        }
    }

    private DataSource held(CountDownLatch moved, CountDownLatch free) {
        return InterposedDataSource.before(1, "inbox_audit (who", workshop.dataSource(), () -> {
            moved.countDown();
            pass(free);
        });
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void letterWhoseRequeueIsNotCommittedYetIsDiscardedFromWork() {
        CountDownLatch moved = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        CompletableFuture<Answer> requeue = CompletableFuture.supplyAsync(() -> requeue(held(moved, free)));
        pass(moved);
        CompletableFuture<Answer> discard = CompletableFuture.supplyAsync(() -> discard(workshop.dataSource()));
        try {
            await().atMost(LONG)
                    .pollInterval(AnyDatabase.INTERVAL)
                    .until(() -> !workshop.ask(AnyDatabase.waiting(server)).equals("0"));
        } finally {
            free.countDown();
        }

        assertDone(requeue.join());
        assertDone(discard.join());
        assertDiscarded();
    }

    @Test
    void letterThatIsRequeuedBetweenTheLooksIsDiscardedFromWork() {
        DataSource interposed = InterposedDataSource.before(
                1, LETTERS, workshop.dataSource(), () -> assertDone(requeue(workshop.dataSource())));

        assertDone(discard(interposed));
        assertDiscarded();
    }

    /** As where the message was accepted since, and dies: its letter takes the place of the one that was there. */
    @ParameterizedTest
    @ValueSource(strings = {"discard", "requeue"})
    void letterThatAnotherOneReplacesBeforeItIsLockedIsChanged(String way) {
        DataSource interposed = InterposedDataSource.before(2, LETTERS, workshop.dataSource(), this::replace);

        assertDone(change(way, interposed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"discard", "requeue"})
    void letterThatIsReplacedAgainAndAgainIsBusy(String way) {
        DataSource interposed = workshop.dataSource();
        for (int place = 2; place <= 20; place += 2) {
            interposed = InterposedDataSource.before(place, LETTERS, interposed, this::replace);
        }

        Answer answer = change(way, interposed);
        assertThat(answer.kind()).as(answer.detail()).isEqualTo(Answer.Kind.BUSY);
        assertThat(store.admin().show(consumer, key))
                .map(MessageDetails::status)
                .contains(MessageStatus.DEAD);
    }

    private void replace() {
        workshop.execute("UPDATE inbox_dead_letter SET id = id - 1000000 WHERE consumer_id = " + number);
    }

    @Test
    void messageThatIsNowhereIsNotFound() {
        assertDone(discard(workshop.dataSource()));

        assertThat(discard(workshop.dataSource()).kind()).isEqualTo(Answer.Kind.NOT_FOUND);
        assertThat(requeue(workshop.dataSource()).kind()).isEqualTo(Answer.Kind.NOT_FOUND);
    }
}
