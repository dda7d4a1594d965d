package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.UnknownConsumerException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What belongs to a run, in which order, and who steers it. */
abstract class ReplayTests<C extends HandlerContext> extends ReplayLab<C> {
    private static final Author BOB = new Author("bob", "the database is busy");

    /** Columns of the tables, and what brokers and other libraries call the same. */
    private static final List<String> LIKE_COLUMNS = List.of(
            "id",
            "message_id",
            "message-id",
            "message_key",
            "consumer_id",
            "consumer",
            "source",
            "type",
            "status",
            "tenant",
            "work_partition",
            "ordered",
            "by_lease",
            "attempts",
            "retried",
            "due_at",
            "lease_token",
            "lease_owner",
            "received_at",
            "last_error",
            "ordering_key",
            "headers",
            "content_type",
            "payload",
            "payload_hash",
            "with_payload",
            "origin",
            "reason",
            "claimed");

    ReplayTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    @Tag("B10")
    void largeMessagesAreReplayedInSmallBatches() {
        Message[] messages = new Message[20];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = message(i + " " + "x".repeat(1_000_000));
        }
        finish(messages);
        Map<Integer, Integer> messagesOfTransactions = new HashMap<>();

        replay("large", (payload, context) -> messagesOfTransactions.merge(transactions(), 1, Integer::sum))
                .build()
                .run();

        assertThat(messagesOfTransactions.values()).containsExactlyInAnyOrder(16, 4);
    }

    @Test
    void whatIsFinishedIsHandedOverInItsOrder() {
        List<String> all = new ArrayList<>(finish(12));
        all.addAll(finish(5));

        ReplayProgress end = replay("first").batch(4).build().run();

        assertThat(fixture.effects()).isEqualTo(all);
        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.done()).isEqualTo(17);
        assertThat(end.total()).isEqualTo(17);
        assertThat(end.left()).hasValue(0);
        assertThat(progress("first").done()).isEqualTo(17);
        assertThat(progress("first").position()).isEqualTo(progress("first").cutoff());
    }

    /** It is decided about before the handlers of others run. */
    @Test
    void whatWasIgnoredIsHandedOverWhereItArrived() {
        inbox = builder((payload, context) -> {})
                .unknownType(UnknownType.IGNORE)
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        List<Message> messages = IntStream.range(0, 6)
                .mapToObj(i -> Message.builder("notes")
                        .id(Ids.opaque())
                        .type(i % 3 == 2 ? "of no interest" : TYPE)
                        .payload("" + i)
                        .build())
                .toList();
        inbox.process(messages);

        replay("first").build().run();

        assertThat(fixture.effects()).isEqualTo(payloads(messages));
    }

    /** Headers of a message never stand for what it is: they are kept as one value, apart from the columns. */
    @Test
    @Tag("F06")
    void headersNamedLikeColumnsChangeNothingInWorkNorInARun() {
        Random random = new Random(6);
        List<Message> sent = IntStream.range(0, 40)
                .mapToObj(i -> Message.builder("notes")
                        .id("id " + i + " of " + consumer)
                        .type(TYPE)
                        .orderingKey("key " + i)
                        .headers(likeColumns(random))
                        .payload("payload " + i)
                        .build())
                .toList();
        List<String> worked = new ArrayList<>();
        Inbox<C> failingOnce = builder((payload, context) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("not at the first attempt");
                    }
                    worked.add(wholeOf(context.message()));
                })
                .history(HistoryMode.WITH_PAYLOAD)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .build();

        assertThat(kinds(failingOnce.process(sent))).containsOnly(Outcome.Kind.PARKED);
        assertThat(kinds(failingOnce.process(sent.stream()
                        .map(message -> withHeaders(message, likeColumns(random)))
                        .toList())))
                .containsOnly(Outcome.Kind.DUPLICATE);
        failingOnce.work();

        List<String> whole = sent.stream().map(ReplayTests::wholeOf).toList();
        assertThat(worked).containsExactlyInAnyOrderElementsOf(whole);
        List<String> replayed = new ArrayList<>();
        replay("headers", (payload, context) -> replayed.add(wholeOf(context.message())))
                .build()
                .run();
        assertThat(replayed).containsExactlyInAnyOrderElementsOf(whole);
    }

    private static Headers likeColumns(Random random) {
        Headers headers = Headers.none();
        for (String name : LIKE_COLUMNS) {
            String spelt = random.nextInt(4) == 0 ? name.toUpperCase(Locale.ROOT) : name;
            byte[] bytes = new byte[random.nextInt(20)];
            random.nextBytes(bytes);
            headers = switch (random.nextInt(4)) {
                case 0 -> headers;
                case 1 -> headers.with(spelt, (byte[]) null);
                case 2 -> headers.with(spelt, bytes);
                default -> headers.with(spelt, "id " + random.nextInt(40)).with(name, "9");
            };
        }
        return headers;
    }

    private static Message withHeaders(Message message, Headers headers) {
        return Message.builder(message.source())
                .id(message.id())
                .type(message.type())
                .orderingKey(message.orderingKey())
                .headers(headers)
                .payload(message.payload())
                .build();
    }

    /** All that was sent of a message, as text. */
    private static String wholeOf(Message message) {
        return Stream.concat(
                        Stream.of(
                                message.source(),
                                message.id(),
                                message.type(),
                                OrderingKey.of(message),
                                message.contentType(),
                                message.origin(),
                                payload(message)),
                        message.headers().list().stream()
                                .map(header -> header.name() + "=" + Arrays.toString(header.value())))
                .map(String::valueOf)
                .collect(Collectors.joining(" | "));
    }

    @Test
    void deferredWritesOfARunAreWrittenOnce() {
        List<String> all = finish(10);

        replay("deferred", (payload, context) -> fixture.defer(context, payload))
                .batch(3)
                .build()
                .run();

        assertThat(fixture.effects()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void aRunThatIsFinishedDoesNothingAndAnotherNameBeginsAnew() {
        List<String> all = finish(3);
        replay("first").build().run();

        assertThat(seenBy(replay("first"))).isEmpty();
        assertThat(seenBy(replay("second"))).isEqualTo(all);
        assertThat(control.list())
                .filteredOn(run -> run.plan().consumer().equals(consumer))
                .extracting(run -> run.plan().name())
                .containsExactly(name("first"), name("second"));
    }

    @Test
    void aHistoryWithoutMessagesIsFinishedAtOnce() {
        ReplayProgress end = replay("empty").build().run();

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.total()).isZero();
    }

    @Test
    void aRunTakesWhatItsFiltersLetThrough() {
        Message plain = message("plain");
        builder()
                .handle("other", PayloadDecoder.text(), (payload, context) -> {})
                .history(HistoryMode.WITH_PAYLOAD)
                .build()
                .process(other("type").type("other").build());
        finish(plain);
        finish(Message.builder("elsewhere")
                .id(Ids.opaque())
                .type(TYPE)
                .payload("source")
                .build());
        finish(other("key").orderingKey("k").build());

        assertThat(seenBy(replay("1").type("other"))).containsExactly("type");
        assertThat(seenBy(replay("2").type(TYPE))).containsExactly("plain", "source", "key");
        assertThat(seenBy(replay("3").source("elsewhere"))).containsExactly("source");
        assertThat(seenBy(replay("4").key("k"))).containsExactly("key");
        assertThat(seenBy(replay("5").source("notes").key("k").type(TYPE))).containsExactly("key");
        assertThat(seenBy(replay("6").key("nobody's"))).isEmpty();
    }

    private static Message.Builder other(String payload) {
        return Message.builder("notes").id(Ids.opaque()).type(TYPE).payload(payload);
    }

    @Test
    void aRunTakesATime() {
        finish(message("early"));
        fixture.advance(Duration.ofMinutes(10));
        finish(message("later"));
        Instant later = processedAt("later");

        assertThat(seenBy(replay("since").since(later))).containsExactly("later");
        assertThat(seenBy(replay("until").until(later))).containsExactly("early");
        assertThat(seenBy(replay("both").since(processedAt("early")).until(later)))
                .containsExactly("early");
    }

    private Instant processedAt(String payload) {
        RegisteredConsumer registered = inbox.registered();
        var days = store.historyDays();
        return Stream.of(days.today(), days.today().minusDays(1))
                .flatMap(day -> days.read(registered, day, 0, 100).stream())
                .filter(entry -> payload(entry.message()).equals(payload))
                .findAny()
                .orElseThrow()
                .processedAt();
    }

    @Test
    void whatIsFinishedAfterTheBeginningDoesNotBelongToTheRun() {
        finish(3);
        List<String> all = seenBy(replay("growing", (payload, context) -> {
                    finish(message("new"));
                    write(payload, context);
                })
                .batch(1));

        assertThat(all).containsExactly("0", "1", "2");
    }

    /** Whatever a store does about it: one run must not miss what the next one finds in the middle of its messages. */
    @Test
    void aRunDoesNotPassWhatAnOlderTransactionStillRecords() {
        Message first = message("first");
        Message second = message("second");
        Replay<C> run = replay("early").build();
        ReplayPlan plan = planOf("early");
        try (InboxTransaction<C> older = record(first)) {
            try (InboxTransaction<C> younger = record(second)) {
                younger.commit();
            }
            store.replays().create(plan, ANN.who(), ANN.reason());
            if (store.replays().settle(plan.name()).state() == ReplayState.RUNNING) {
                run.run();
            }
            older.commit();
        }
        run.run();
        List<String> early = fixture.effects();

        assertThat(progress("early").state()).isEqualTo(ReplayState.FINISHED);
        assertThat(early).contains("second");
        assertBegins(seenBy(replay("late")), early);
    }

    private InboxTransaction<C> record(Message message) {
        InboxTransaction<C> transaction = store.begin(Duration.ofMinutes(1));
        RegisteredConsumer registered = inbox.registered();
        MessageKey key = registered.keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
        transaction.claim(registered, List.of(key), Duration.ofSeconds(5));
        transaction.record(registered, List.of(new FinishedMessage(key, message, 1, true)));
        return transaction;
    }

    @Test
    void whatIsLeftIsKnownOnceNothingOlderIsOpen() {
        finish(4);
        ReplayPlan plan = planOf("waiting");

        ReplayProgress made = store.replays().create(plan, ANN.who(), ANN.reason());
        assertThat(made.state()).isEqualTo(ReplayState.WAITING);
        assertThat(made.left()).isEmpty();
        assertThat(made.plan()).isEqualTo(plan);

        ReplayProgress settled = store.replays().settle(plan.name());
        // A transaction of another database of the server, such as one that gathers statistics, may be open for a
        // moment.
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (settled.state() == ReplayState.WAITING && System.nanoTime() < until) {
            settled = store.replays().settle(plan.name());
        }
        assertThat(settled.state()).isEqualTo(ReplayState.RUNNING);
        assertThat(settled.left()).hasValue(4);
        assertThat(settled.who()).isEqualTo("ann");
        assertThat(settled.reason()).isEqualTo(ANN.reason());
    }

    @Test
    void aRunThatIsPausedGoesOnWhereItWas() {
        List<String> all = finish(9);
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 2, () -> control.pause(name("paused"), BOB));

        ReplayProgress paused = replay("paused").batch(2).build().run();
        assertThat(paused.state()).isEqualTo(ReplayState.PAUSED);
        assertThat(fixture.effects()).isEqualTo(all.subList(0, 4));
        assertThat(progress("paused").left()).hasValue(5);
        assertThat(progress("paused").who()).isEqualTo("bob");
        assertThat(replay("paused").build().run().state()).isEqualTo(ReplayState.PAUSED);
        assertThat(fixture.effects()).hasSize(4);

        assertThat(control.resume(name("paused"), BOB).state()).isEqualTo(ReplayState.WAITING);
        assertThat(replay("paused").build().run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).isEqualTo(all);
        assertThat(progress("paused").total()).isEqualTo(9);
    }

    private int commits() {
        return plan.passages(CrashPoint.AFTER_COMMIT);
    }

    @Test
    void whoMadeARunAndWhoChangedItStandsInTheAudit() {
        finish(1);
        store.replays().create(planOf("watched"), "ann", "ticket 1");
        control.pause(name("watched"), BOB);
        control.pause(name("watched"), BOB);
        control.cancel(name("watched"), new Author("cat", "no longer wanted"));

        List<AuditEntry> entries =
                Admin.of(fixture.adminStore()).audit(consumer, PageRequest.first(10)).entries().stream()
                        .sorted(Comparator.comparingLong(AuditEntry::id))
                        .toList();

        assertThat(entries).allMatch(entry -> entry.action() == AdminAction.REPLAY && entry.affected() == 1);
        assertThat(entries)
                .extracting(
                        entry -> entry.author().who() + ", " + entry.author().reason() + ": " + entry.detail())
                .containsExactly(
                        "ann, ticket 1: replay '" + name("watched") + "': made",
                        "bob, the database is busy: replay '" + name("watched") + "': WAITING, now PAUSED",
                        "cat, no longer wanted: replay '" + name("watched") + "': PAUSED, now CANCELLED");
    }

    private ReplayPlan planOf(String run) {
        return new ReplayPlan(name(run), consumer, null, null, null, null, null, false);
    }

    @Test
    void aRunThatIsStoppedInItsProcessStaysARunningOne() {
        List<String> all = finish(6);
        Replay<C> run = replay("stopped").batch(2).build();
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, run::stop);

        assertThat(run.run().state()).isEqualTo(ReplayState.RUNNING);
        assertThat(fixture.effects()).isEqualTo(all.subList(0, 2));
        assertThat(run.run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).isEqualTo(all);
    }

    @Test
    void aRunThatIsCancelledNeverGoesOn() {
        finish(4);
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, () -> control.cancel(name("cancelled"), BOB));

        assertThat(replay("cancelled").batch(1).build().run().state()).isEqualTo(ReplayState.CANCELLED);
        assertThat(control.resume(name("cancelled"), BOB).state()).isEqualTo(ReplayState.CANCELLED);
        assertThat(replay("cancelled").build().run().state()).isEqualTo(ReplayState.CANCELLED);
        assertThat(fixture.effects()).hasSize(1);
    }

    @Test
    void aRateSlowsARunDown() {
        finish(9);
        long begun = System.nanoTime();

        replay("slow").batch(3).rate(20).build().run();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(290));
        assertThat(fixture.effects()).hasSize(9);
    }

    @Test
    @Tag("E12")
    void aRunThatIsStoppedBeforeItBeginsEndsAtOnceAndGoesOnLater() {
        finish(3);
        Replay<C> run = replay("stopped").build();

        run.stop();

        assertThat(run.run().done()).isZero();
        assertThat(fixture.effects()).isEmpty();
        assertThat(run.run().state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).hasSize(3);
    }

    @Test
    void aRunThatIsPausedAndResumedKeepsItsRate() {
        finish(12);
        List<Replay<C>> running = new ArrayList<>();
        Replay<C> slow = replay("slow", (payload, context) -> {
                    write(payload, context);
                    running.forEach(Replay::stop);
                })
                .batch(3)
                .rate(20)
                .build();
        running.add(slow);
        long begun = System.nanoTime();

        for (int i = 0; i < 4; i++) {
            slow.run();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(440));
        assertThat(fixture.effects()).hasSize(12);
    }

    /** The pause for what another has handled would be a minute. */
    @Test
    void whatOthersHandleDoesNotCountForTheRate() {
        finish(62);
        List<Replay<C>> helping = new ArrayList<>();
        Replay<C> helper = replay("shared", (payload, context) -> {
                    write(payload, context);
                    helping.forEach(Replay::stop);
                })
                .batch(60)
                .build();
        helping.add(helper);
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, helper::run);
        long begun = System.nanoTime();

        assertThat(replay("shared").batch(1).rate(1).build().run().state()).isEqualTo(ReplayState.FINISHED);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(50));
        assertThat(fixture.effects()).hasSize(62);
    }

    @Test
    void aBatchWhoseCommitWasNotAnsweredCountsForTheRate() {
        finish(12);
        Runnable lost = () -> {
            throw new OutcomeUnknownException("the answer to COMMIT is lost", null);
        };
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, lost);
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 2, lost);
        long begun = System.nanoTime();

        replay("slow").batch(3).rate(10).build().run();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(890));
        assertThat(fixture.effects()).hasSize(12);
    }

    /** The pause for the rate would be a minute. */
    @Test
    @Tag("E12")
    void aRunThatIsCancelledDoesNotWaitForItsRate() {
        finish(61);
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, () -> control.cancel(name("slow"), BOB));
        long begun = System.nanoTime();

        assertThat(replay("slow").batch(60).rate(1).build().run().state()).isEqualTo(ReplayState.CANCELLED);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(50));
    }

    @Test
    void manyMayRunTheSameOneAtOnce() throws InterruptedException {
        List<String> all = finish(60);

        List<ReplayState> ends = threads.together(
                4, number -> replay("shared").batch(3).build().run().state());

        assertThat(ends).containsOnly(ReplayState.FINISHED);
        assertThat(fixture.effects()).isEqualTo(all);
        assertThat(progress("shared").done()).isEqualTo(60);
    }

    @Test
    void aNameStandsForOnePlan() {
        finish(1);
        replay("same").build().run();

        assertThatThrownBy(() -> replay("same").type("other").build().run())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("type null, not other");
    }

    @Test
    void theHistoryOfNobodyCannotBeReplayed() {
        assertThatThrownBy(() -> Replay.builder(name("nobody"), "nobody", store, ANN)
                        .into(PayloadDecoder.text(), this::write)
                        .build()
                        .run())
                .isInstanceOf(UnknownConsumerException.class);
    }

    @Test
    void theOwnHandlersAskTwice() {
        Inbox<C> writing =
                builder(this::write).history(HistoryMode.WITH_PAYLOAD).build();
        writing.process(List.of(message("a"), message("b")));
        assertThat(fixture.effects()).containsExactly("a", "b");

        assertThatThrownBy(() -> Replay.builder(name("recovery"), consumer, store, ANN)
                        .intoOwnHandlers(writing)
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("allowReprocessing");
        Replay.builder(name("recovery"), consumer, store, ANN)
                .intoOwnHandlers(writing)
                .allowReprocessing()
                .build()
                .run();

        assertThat(fixture.effects()).containsExactly("a", "b", "a", "b");
        assertThat(progress("recovery").plan().recovery()).isTrue();
    }

    /** They stand in the history with the others, and must not stop a recovery. */
    @Test
    void theOwnHandlersIgnoreWhatTheInboxIgnores() {
        Inbox<C> writing = builder(this::write)
                .unknownType(UnknownType.IGNORE)
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        writing.process(List.of(
                message("a"),
                Message.builder("notes")
                        .id(Ids.opaque())
                        .type("of no interest")
                        .payload("x")
                        .build(),
                message("b")));

        ReplayProgress end = Replay.builder(name("recovery"), consumer, store, ANN)
                .intoOwnHandlers(writing)
                .allowReprocessing()
                .build()
                .run();

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(fixture.effects()).containsExactly("a", "b", "a", "b");
    }

    @Test
    void whatHasNoPayloadIsCountedAndLeftOut() {
        finish(message("kept"));
        builder((payload, context) -> {})
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .build()
                .process(message("not kept"));

        ReplayProgress end = replay("partly").build().run();

        assertThat(fixture.effects()).containsExactly("kept");
        assertThat(end.total()).isEqualTo(1);
        assertThat(end.withoutPayload()).isEqualTo(1);
    }

    @Test
    @Tag("E12")
    void whatHasNoPayloadIsCountedOnceHoweverOftenTheRunIsPaused() {
        Inbox<C> without = builder((payload, context) -> {})
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .build();
        without.process(message("not kept"));
        finish(message("kept"));
        without.process(message("not kept either"));
        finish(message("kept too"));
        plan.at(CrashPoint.AFTER_COMMIT, commits() + 1, () -> control.pause(name("partly"), BOB));
        ReplayProgress paused = replay("partly").batch(1).build().run();
        assertThat(paused.state()).isEqualTo(ReplayState.PAUSED);

        control.resume(name("partly"), BOB);
        ReplayProgress end = replay("partly").build().run();

        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(end.withoutPayload()).isEqualTo(2).isEqualTo(paused.withoutPayload());
        assertThat(end.total()).isEqualTo(2).isEqualTo(end.done());
    }

    @Test
    void keysForOtherSystemsAreOfTheRunAndStable() {
        List<String> keys = new ArrayList<>();
        Inbox<C> noting = builder((payload, context) -> keys.add(context.idempotencyKey("mail")))
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        noting.process(message("once"));
        plan.at(CrashPoint.BEFORE_REPLAY_MOVE, 1, () -> {
            throw new IllegalStateException("once more");
        });

        replay("one", (payload, context) -> keys.add(context.idempotencyKey("mail")))
                .build()
                .run();
        replay("two", (payload, context) -> keys.add(context.idempotencyKey("mail")))
                .build()
                .run();

        assertThat(keys).hasSize(4);
        assertThat(keys.get(2)).as("the second try of the first run").isEqualTo(keys.get(1));
        assertThat(Set.copyOf(keys)).as("the inbox and two runs").hasSize(3);
    }
}
