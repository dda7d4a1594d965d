package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However often a message comes, it takes effect once. */
abstract class DuplicateTests<C extends HandlerContext> extends InboxLab<C> {
    private static final int THREADS = 4;

    DuplicateTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Held against the days that the ledger has a moment later it would be late, and kept among the dead letters. */
    @Test
    @Tag("F67")
    void duplicateStaysOneWhenTheLedgerMovesOnAfterTheClaim() {
        Inbox<C> inbox = writing();
        Message old = message(Ids.timeOrdered(Ids.now().plusSeconds(1)), "old");
        Message fresh = message(Ids.timeOrdered(Ids.now().plusSeconds(2)), "fresh");
        inbox.process(old);
        plan.at(
                CrashPoint.AFTER_CLAIM,
                plan.passages(CrashPoint.AFTER_CLAIM) + 1,
                () -> fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1))));

        assertThat(kinds(inbox.process(List.of(old, fresh)))).containsExactly(Kind.DUPLICATE, Kind.PROCESSED);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(kinds(inbox.process(List.of(message(Ids.timeOrdered(Ids.now().plusSeconds(3)), "late")))))
                .containsExactly(Kind.DEAD);
    }

    @Test
    @Tag("F14")
    void duplicatesWithinAProcessWaitWithoutATransaction() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Inbox<C> inbox = inbox((payload, context) -> {
            inHandler.countDown();
            assertThat(goOn.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            fixture.write(context, payload);
        });
        Message message = message("x");
        Future<Outcome> first = threads.start(() -> inbox.process(message));
        assertThat(inHandler.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        int before = transactions();

        List<Outcome> outcomes = threads.together(8, thread -> inbox.process(message));

        assertThat(kinds(outcomes)).containsOnly(Kind.BUSY);
        assertThat(transactions()).isEqualTo(before);
        goOn.countDown();
        assertThat(Threads.result(first).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("F14")
    void messagesBesideAConcurrentDuplicateAreProcessed() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Inbox<C> inbox = inbox((payload, context) -> {
            if (payload.equals("x")) {
                inHandler.countDown();
                assertThat(goOn.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            }
            fixture.write(context, payload);
        });
        Message message = message("x");
        Future<Outcome> first = threads.start(() -> inbox.process(message));
        assertThat(inHandler.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();

        List<Outcome> outcomes = inbox.process(List.of(message("before"), message, message("behind")));

        assertThat(kinds(outcomes)).containsExactly(Kind.PROCESSED, Kind.BUSY, Kind.PROCESSED);
        goOn.countDown();
        assertThat(Threads.result(first).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("before", "behind", "x");
    }

    @Test
    void laterDuplicateDoesNothing() {
        Inbox<C> inbox = writing();
        Message message = message("once");
        inbox.process(message);

        assertThat(inbox.process(message)).isEqualTo(new Outcome.Duplicate());
        assertThat(fixture.effects()).containsExactly("once");
    }

    @Test
    void anotherInboxOfTheSameConsumerKnowsTheDuplicate() {
        Message message = message("once");
        writing().process(message);

        assertThat(writing().process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("once");
    }

    @Test
    void duplicatesInTheSameBatchAreTold() {
        List<Message> messages = messages(3);
        List<Message> twice = List.of(
                messages.get(0), messages.get(1), messages.get(0), messages.get(2), messages.get(1), messages.get(0));

        assertThat(kinds(writing().process(twice)))
                .containsExactly(
                        Kind.PROCESSED, Kind.PROCESSED, Kind.DUPLICATE, Kind.PROCESSED, Kind.DUPLICATE, Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2");
    }

    @Test
    void duplicateIsTheSameIdWhateverElseIsDifferent() {
        Inbox<C> inbox = writing();
        String id = Ids.opaque();
        inbox.process(message(id, "first"));

        assertThat(inbox.process(message(id, "second")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("first");
    }

    @Test
    void sameIdFromTwoSourcesIsTwoMessages() {
        Inbox<C> inbox = writing();
        String id = Ids.opaque();
        Message other = Message.builder("other notes")
                .id(id)
                .type(TYPE)
                .payload("from elsewhere")
                .build();

        assertThat(kinds(inbox.process(List.of(message(id, "from here"), other))))
                .containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("from here", "from elsewhere");
    }

    @Test
    void consumersOfOneMessageDoNotDisturbEachOther() {
        Message message = message("each");
        Inbox<C> first = writing();
        consumer = randomName();
        Inbox<C> second = inbox((payload, context) -> {
            throw new IllegalStateException("only this consumer fails");
        });
        String failing = consumer;
        consumer = randomName();
        Inbox<C> third = writing();

        assertThat(first.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(second.process(message).kind()).isEqualTo(Kind.PARKED);
        assertThat(third.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(first.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("each", "each");
        assertThat(fixture.parked(failing)).hasSize(1);
        assertThat(fixture.parked(consumer)).isEmpty();
    }

    @Test
    void duplicateOfParkedMessageDoesNotRunAgain() {
        AtomicInteger runs = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            runs.incrementAndGet();
            throw new IllegalStateException("always");
        });
        Message message = message("x");
        inbox.process(message);
        int runsBefore = runs.get();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(runs).hasValue(runsBefore);
        assertThat(fixture.parked(consumer)).hasSize(1);
    }

    @Test
    void duplicateOfDeadMessageDoesNotRunAgain() {
        AtomicInteger runs = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            runs.incrementAndGet();
            throw new PermanentFailure("never");
        });
        Message message = message("x");
        inbox.process(message);
        int runsBefore = runs.get();

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(runs).hasValue(runsBefore);
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
    }

    @Test
    void idsThatDifferInAnyByteAreDifferentMessages() {
        String id = Ids.opaque();
        List<String> ids = List.of(
                id,
                id + " ",
                id + "  ",
                " " + id,
                id.toUpperCase(Locale.ROOT),
                id + "\0",
                id + "\t",
                id + "é",
                id + "e\u0301",
                id + "ﬀ",
                id + "ff");
        List<Message> messages = ids.stream().map(each -> message(each, "x")).toList();

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(kinds(writing().process(messages))).containsOnly(Kind.DUPLICATE);
    }

    @Test
    void idsOfOneByteAreIds() {
        List<Message> messages = new ArrayList<>();
        for (int value = 0; value < 256; value++) {
            messages.add(Message.builder(consumer)
                    .id(MessageId.of(new byte[] {(byte) value}))
                    .type(TYPE)
                    .payload("" + value)
                    .build());
        }

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(256).doesNotHaveDuplicates();
        assertThat(kinds(writing().process(messages))).containsOnly(Kind.DUPLICATE);
    }

    @Test
    void idsOfThousandCharactersAreToldApartByTheLast() {
        String start = Ids.opaque() + "x".repeat(960);
        List<Message> messages = new ArrayList<>();
        for (String last : List.of("a", "b", "é", "漢")) {
            messages.add(message(start.substring(0, 999) + last, last));
        }

        assertThat(kinds(writing().process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(kinds(writing().process(messages))).containsOnly(Kind.DUPLICATE);
    }

    @Test
    void sameMessageFromManyThreadsTakesEffectOnce() throws Exception {
        for (int round = 0; round < 5; round++) {
            Inbox<C> inbox = writing();
            String effect = "round " + round;
            Message message = message(effect);
            List<Outcome> outcomes = threads.together(
                    THREADS, thread -> deliver(inbox, List.of(message)).get(0));

            assertThat(kinds(outcomes)).containsOnlyOnce(Kind.PROCESSED);
            assertThat(fixture.effects()).containsOnlyOnce(effect);
        }
    }

    @Test
    void overlappingBatchesFromManyThreadsTakeEffectOnce() throws Exception {
        Inbox<C> inbox = writing();
        List<Message> messages = messages(120);
        threads.together(THREADS, thread -> {
            List<Message> mine = new ArrayList<>(messages);
            Collections.shuffle(mine, new Random(thread));
            for (int from = 0; from < mine.size(); from += 30) {
                deliver(inbox, mine.subList(from, from + 30));
            }
            return thread;
        });

        EffectsChecker.expecting(payloads(messages))
                .effects(fixture.effects())
                .check()
                .assertExactlyOnce();
    }

    @Test
    void concurrentDuplicateMakesOnlyItselfBusy() {
        List<Message> messages = messages(50);
        Inbox<C> inbox = writing();
        RegisteredConsumer registered = store.register(new ConsumerRegistration(consumer, IdForm.TIME_ORDERED));
        Message duplicate = messages.get(17);
        List<Outcome> outcomes;
        try (CallersTransaction elsewhere = fixture.begin()) {
            elsewhere.ledger().claim(registered, registered.keys().keyOf(duplicate.source(), id(duplicate)));
            outcomes = inbox.process(messages);
        }

        for (int i = 0; i < messages.size(); i++) {
            assertThat(outcomes.get(i).kind()).isEqualTo(i == 17 ? Kind.BUSY : Kind.PROCESSED);
        }
        assertThat(outcomes.get(17).settled()).isFalse();
        assertThat(fixture.effects()).hasSize(49).doesNotContain("17");
        assertThat(inbox.process(duplicate).kind()).isEqualTo(Kind.PROCESSED);
    }

    @Test
    void busyMessageIsADuplicateOnceItsConcurrentDuplicateIsCommitted() {
        Inbox<C> inbox = writing();
        RegisteredConsumer registered = store.register(new ConsumerRegistration(consumer, IdForm.TIME_ORDERED));
        Message duplicate = message("here");
        try (CallersTransaction elsewhere = fixture.begin()) {
            elsewhere.ledger().claim(registered, registered.keys().keyOf(duplicate.source(), id(duplicate)));
            elsewhere.write("elsewhere");
            assertThat(inbox.process(List.of(duplicate, duplicate)))
                    .extracting(Outcome::kind)
                    .containsExactly(Kind.BUSY, Kind.BUSY);
            elsewhere.commit();
        }
        assertThat(inbox.process(duplicate).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("elsewhere");
    }

    @Test
    void messageWaitsForAConcurrentDuplicateThatIsQuick() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Inbox<C> slow = inbox((payload, context) -> {
            fixture.write(context, payload);
            running.countDown();
            assertThat(mayEnd.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        });
        Message message = message("once");
        Future<Outcome> first = threads.start(() -> slow.process(message));
        assertThat(running.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        Inbox<C> patient = builder(this::write)
                .concurrentDuplicateTimeout(Duration.ofSeconds(Threads.LONGEST_SECONDS))
                .build();
        Future<Outcome> second = threads.start(() -> patient.process(message));
        mayEnd.countDown();

        assertThat(Threads.result(first).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(Threads.result(second).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("once");
    }

    private static MessageId id(Message message) {
        return Objects.requireNonNull(message.id());
    }
}
