package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.core.relay.RelayBuilder;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Appended messages are published in order per key, at least once, and what is refused is treated as in an inbox. */
abstract class RelayTests<C extends HandlerContext> extends InboxLab<C> {
    private static final Duration DELAY = Duration.ofMinutes(1);
    private static final RetryPolicy RETRY = RetryPolicy.fixed(DELAY).jitter(0);
    private static final NodeInbox.Progress UNHEARD = new NodeInbox.Progress() {};

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private String destination;

    @SuppressWarnings("NullAway.Init")
    private ProgrammedPublisher publisher;

    RelayTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void choose() {
        destination = "destination " + UUID.randomUUID();
        publisher = new ProgrammedPublisher();
    }

    private RelayBuilder builder(String to) {
        return Relay.builder(to, store, publisher).retry(RETRY);
    }

    private RelayBuilder relay() {
        return builder(destination);
    }

    private OutboxMessage toSend(String key, String payload) {
        return OutboxMessage.to(destination).key(key).payload(payload).build();
    }

    private OutboxMessage withoutKey(String payload) {
        return OutboxMessage.to(destination).payload(payload).build();
    }

    /** In one transaction. */
    private void append(OutboxMessage... messages) {
        try (InboxTransaction<C> transaction = fixture.store().begin(Duration.ofMinutes(1))) {
            var handler = fixture.store().register(new ConsumerRegistration(consumer, IdForm.TIME_ORDERED));
            Message handled = message("appends");
            C context = transaction.context(
                    handler, handler.keys().keyOf(handled.source(), MessageId.of("appends")), handled, 1);
            context.outbox().appendAll(List.of(messages));
            transaction.endContexts();
            transaction.flush();
            transaction.commit();
        }
    }

    /** Does all that is due now; answers how many messages were brought further. */
    private static int work(Relay relay) {
        int all = 0;
        for (Due due : relay.backlog().due(List.of(relay.forNodes().registered()))) {
            int brought;
            do {
                brought = due.in().isZero() ? relay.forNodes().work(due, () -> false, UNHEARD) : 0;
                all += brought;
            } while (brought > 0);
        }
        return all;
    }

    private static void workAsFarAsOthersAllow(Relay relay) {
        try {
            work(relay);
        } catch (RetryableException e) {
            assertThat(e).isNotInstanceOf(StoreUnavailableException.class);
        }
    }

    private boolean isEmpty() {
        return fixture.store().appendedTo(destination).isEmpty();
    }

    @Test
    void publishesWhatWasAppendedOnceAndDeletesIt() {
        Relay relay = relay().build();
        append(toSend("a", "1"), toSend("b", "2"), withoutKey("3"));

        assertThat(work(relay)).isEqualTo(3);
        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(isEmpty()).isTrue();
        assertThat(work(relay)).isZero();
        assertThat(relay.published()).isEqualTo(3);
        assertThat(relay.problem()).isEmpty();
    }

    @Test
    void handsInTheNextOfAKeyOnceTheOneBeforeIsConfirmed() {
        Relay relay = relay().build();
        append(toSend("a", "1"), toSend("a", "2"), toSend("a", "3"));

        work(relay);
        assertThat(publisher.calls()).containsExactly(List.of("1"), List.of("2"), List.of("3"));
    }

    @Test
    void handsInAllOfABatchAtOnceWhereThereIsNoOrder() {
        Relay relay = relay().order(KeyOrder.NONE).build();
        append(withoutKey("1"));
        append(toSend("a", "2"), toSend("b", "3"));

        work(relay);
        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3");
    }

    @Test
    void worksInBatches() {
        Relay relay = relay().batchSize(2).build();
        append(IntStream.range(0, 5).mapToObj(i -> toSend("k", "" + i)).toArray(OutboxMessage[]::new));

        work(relay);
        assertThat(publisher.payloads()).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void messageThatIsRefusedIsTriedAgainAsItsPolicySaysAndHoldsBackItsKeyOnly() {
        Relay relay = relay().build();
        publisher.refuse("a2");
        append(toSend("a", "a1"), toSend("a", "a2"), toSend("a", "a3"), toSend("b", "b1"), withoutKey("x"));

        work(relay);
        work(relay);
        assertThat(publisher.payloads()).containsExactlyInAnyOrder("a1", "b1", "x");
        assertThat(isEmpty()).isTrue();
        append(toSend("a", "a4"));
        work(relay);
        assertThat(publisher.payloads()).doesNotContain("a3", "a4");
        assertThat(relay.refused()).isEqualTo(1);

        publisher.accept("a2");
        work(relay);
        assertThat(publisher.payloads()).doesNotContain("a2");
        fixture.advance(DELAY);
        work(relay);
        work(relay);
        assertThat(publisher.payloads())
                .containsSubsequence("a1", "a2", "a3", "a4")
                .hasSize(6);
        assertThat(fixture.attempts(relay.consumer(), keyOf(relay, 1)))
                .containsExactly("1: java.lang.IllegalArgumentException: no a2");
    }

    /** The key of the message that was published as the one at this index of its key. */
    private MessageKey keyOf(Relay relay, int index) {
        Message message = publisher.published().stream()
                .filter(each -> ProgrammedPublisher.payload(each).startsWith("a"))
                .toList()
                .get(index);
        return relay.forNodes().registered().keys().keyOf(message.source(), Objects.requireNonNull(message.id()));
    }

    @Test
    void messageIsDeadAfterItsAttemptsAndItsKeyGoesOn() {
        Relay relay = relay().retry(RETRY.maxAttempts(2)).build();
        publisher.refuse("1");
        append(toSend("a", "1"), toSend("a", "2"));
        work(relay);
        fixture.advance(DELAY);
        work(relay);
        work(relay);

        assertThat(publisher.payloads()).containsExactly("2");
        assertThat(fixture.deadLetters(relay.consumer()))
                .extracting(StoredMessage::reason)
                .containsExactly(DeadReason.RETRIES_EXHAUSTED);
        assertThat(relay.dead()).isEqualTo(1);
    }

    @Test
    void deadLetterIsPublishedWhereSomebodyRequeuesIt() {
        Relay relay = relay().retry(RetryPolicy.never()).build();
        publisher.refuse("1");
        append(toSend("a", "1"));
        work(relay);
        publisher.accept("1");
        Admin admin = Admin.of(fixture.adminStore());
        var letter = admin.deadLetters(DeadLetterFilter.of(relay.consumer()), PageRequest.first(10))
                .entries()
                .get(0);
        admin.requeue(
                relay.consumer(),
                letter.message().key(),
                Requeue.atOnce(),
                new Author("a test", "the broker takes it now"));

        work(relay);
        assertThat(publisher.payloads()).containsExactly("1");
        assertThat(fixture.deadLetters(relay.consumer())).isEmpty();
    }

    @Test
    void deadLetterBlocksItsKeyWhereThatIsWanted() {
        Relay relay = relay().order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .retry(RetryPolicy.never())
                .build();
        publisher.refuse("1");
        append(toSend("a", "1"), toSend("a", "2"), toSend("b", "3"));
        work(relay);
        append(toSend("a", "4"));
        work(relay);

        assertThat(publisher.payloads()).containsExactly("3");
    }

    @Test
    void messageIsForgottenWhereItsPolicyIgnoresTheFailure() {
        Relay relay = relay().retry(RETRY.on(IllegalArgumentException.class, Reaction.IGNORE))
                .build();
        publisher.refuse("1");
        append(toSend("a", "1"), toSend("a", "2"));
        work(relay);
        work(relay);

        assertThat(publisher.payloads()).containsExactly("2");
        assertThat(fixture.parked(relay.consumer())).isEmpty();
        assertThat(fixture.deadLetters(relay.consumer())).isEmpty();
    }

    @Test
    void noAttemptCountsWhileTheBrokerIsAway() {
        Relay relay = relay().build();
        publisher.away(true);
        append(toSend("a", "1"), toSend("a", "2"), toSend("b", "3"));
        for (int i = 0; i < 10; i++) {
            work(relay);
        }
        assertThat(relay.problem()).hasValueSatisfying(text -> assertThat(text).contains("away"));
        assertThat(fixture.parked(relay.consumer())).isEmpty();
        assertThat(isEmpty()).isFalse();

        publisher.away(false);
        Awaitility.await().until(() -> {
            work(relay);
            return isEmpty();
        });
        assertThat(publisher.payloads()).hasSize(3).containsSubsequence("1", "2");
        assertThat(relay.problem()).isEmpty();
    }

    @Test
    void messageBehindManyThatTheBrokerDoesNotTakeIsFound() {
        Relay relay = relay().batchSize(10).build();
        for (int i = 0; i < 60; i++) {
            publisher.awayFor("stuck " + i, true);
            append(toSend("stuck " + i, "stuck " + i));
        }
        work(relay);
        append(toSend("a", "1"), toSend("a", "2"));

        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            work(relay);
            return publisher.payloads().size() == 2;
        });
        assertThat(publisher.payloads()).containsExactly("1", "2");
    }

    @Test
    void messagesThatTheBrokerDoesNotTakeByThemselvesKeepNoOthersFromBeingPublished() {
        Relay relay = relay().batchSize(2).build();
        for (int i = 0; i < 5; i++) {
            publisher.awayFor("stuck " + i, true);
            append(toSend("stuck " + i, "stuck " + i));
        }
        append(toSend("stuck 0", "behind"));
        append(IntStream.range(0, 40).mapToObj(i -> toSend("k" + i, "" + i)).toArray(OutboxMessage[]::new));

        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            work(relay);
            return publisher.payloads().size() == 40;
        });
        assertThat(publisher.payloads()).doesNotContain("behind");
        IntStream.range(0, 5).forEach(i -> publisher.awayFor("stuck " + i, false));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            fixture.advance(Duration.ofSeconds(10));
            work(relay);
            return publisher.payloads().size() == 46;
        });
        assertThat(publisher.payloads())
                .containsSubsequence("stuck 0", "behind")
                .doesNotHaveDuplicates();
        assertThat(relay.refused()).isZero();
        assertThat(isEmpty()).isTrue();
    }

    @Test
    void messageThatTheDatabaseDoesNotMoveKeepsNothingFromBeingDeleted() {
        store = RefusingStore.around(
                fixture.store(),
                Set.of("park"),
                "refused",
                () -> new StoreException(ErrorClass.MESSAGE, "too large to be moved", null));
        Relay relay = relay().build();
        publisher.refuse("refused");
        publisher.refuse("refused too");
        append(toSend("k", "1"), toSend("k", "2"), toSend("l", "refused"), toSend("m", "refused too"), withoutKey("3"));
        work(relay);
        work(relay);

        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(fixture.parked(relay.consumer())).hasSize(1);
        publisher.accept("refused");
        work(relay);
        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3", "refused");
        assertThat(isEmpty()).isTrue();
    }

    @Test
    void nothingOfAKeyIsMovedPastAMessageThatTheDatabaseDoesNotMove() {
        Set<String> refusals = ConcurrentHashMap.newKeySet();
        store = RefusingStore.around(
                fixture.store(), refusals, "2", () -> new StoreException(ErrorClass.MESSAGE, "not moved", null));
        Relay relay = relay().build();
        publisher.refuse("1");
        append(toSend("k", "1"));
        work(relay);
        refusals.add("receive");
        append(toSend("k", "2"), toSend("k", "3"));
        work(relay);
        assertThat(fixture.parked(relay.consumer())).hasSize(1);

        publisher.accept("1");
        refusals.clear();
        fixture.advance(DELAY);
        work(relay);
        work(relay);
        assertThat(publisher.payloads()).containsExactly("1", "2", "3");
    }

    @Test
    void whatIsPublishedIsDeletedAlthoughTheDatabaseCannotMoveTheOthersNow() {
        Set<String> refusals = ConcurrentHashMap.newKeySet();
        refusals.add("park");
        store = RefusingStore.around(
                fixture.store(),
                refusals,
                "refused",
                () -> new StoreException(ErrorClass.RETRY_NOW, "a deadlock", null));
        Relay relay = relay().build();
        publisher.refuse("refused");
        append(toSend("k", "1"), toSend("k", "2"), withoutKey("3"), toSend(sameWorkPartition("k"), "refused"));
        workAsFarAsOthersAllow(relay);
        workAsFarAsOthersAllow(relay);
        workAsFarAsOthersAllow(relay);
        refusals.clear();
        work(relay);

        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(fixture.parked(relay.consumer())).hasSize(1);
    }

    @Test
    void whatIsPublishedIsDeletedAlthoughTheRelayIsPausedMeanwhile() {
        Relay relay = relay().build();
        Admin admin = Admin.of(fixture.adminStore());
        Author author = new Author("somebody", "a test");
        publisher.refuse("refused");
        publisher.whenCalled(() -> admin.pause(relay.consumer(), author));
        append(toSend("k", "1"), toSend("k", "2"), withoutKey("3"), toSend(sameWorkPartition("k"), "refused"));
        workAsFarAsOthersAllow(relay);
        workAsFarAsOthersAllow(relay);
        publisher.whenCalled(() -> {});
        admin.resume(relay.consumer(), author);
        work(relay);

        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2", "3");
    }

    @Test
    void messageThatWasNotTakenForLongIsTriedAgainAfterItsFirstRefusal() {
        Relay relay = relay().build();
        publisher.awayFor("a1", true);
        append(toSend("a", "a1"), toSend(sameWorkPartition("a"), "b1"));
        work(relay);
        fixture.advance(Duration.ofDays(2));
        publisher.awayFor("a1", false);
        publisher.refuse("a1");

        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            work(relay);
            return relay.refused() + relay.dead() > 0;
        });
        assertThat(relay.dead()).isZero();
    }

    @Test
    void brokerIsNotSaidToBeAwayOnceNothingIsDueForIt() {
        Relay relay = relay().build();
        publisher.refuse("a1");
        append(toSend("a", "a1"));
        work(relay);
        publisher.away(true);
        append(toSend("b", "b1"));
        work(relay);
        assertThat(relay.problem()).isPresent();

        publisher.away(false);
        work(relay().build());
        assertThat(isEmpty()).isTrue();
        work(relay);
        assertThat(relay.problem()).isEmpty();
    }

    @Test
    void newMessagesAndThoseThatAreTriedAgainTakeTurns() {
        Relay relay = relay().batchSize(1).build();
        publisher.refuse("a1");
        append(toSend("a", "a1"));
        work(relay);
        append(IntStream.range(2, 9).mapToObj(i -> toSend("a", "a" + i)).toArray(OutboxMessage[]::new));
        work(relay);
        publisher.accept("a1");
        fixture.advance(DELAY);
        Due due = relay.backlog().due(List.of(relay.forNodes().registered())).get(0);
        append(OutboxMessage.to(destination)
                .key(sameWorkPartition("a"))
                .payload("new")
                .build());
        relay.forNodes().work(due, () -> false, UNHEARD);
        relay.forNodes().work(due, () -> false, UNHEARD);

        assertThat(publisher.payloads()).contains("a1", "new").hasSizeLessThan(5);
    }

    /** Another key of the same work partition. */
    private static String sameWorkPartition(String key) {
        int workPartition = workPartitionOf(key);
        return IntStream.range(0, 1000)
                .mapToObj(i -> "other " + i)
                .filter(other -> workPartitionOf(other) == workPartition)
                .findFirst()
                .orElseThrow();
    }

    private static int workPartitionOf(String key) {
        return OutboxMessage.to("any").key(key).build().workPartition(new UUID(0, 0));
    }

    @Test
    void brokerIsNoProblemOnceThereIsNothingToPublish() {
        Relay relay = relay().build();
        Relay elsewhere = relay().build();
        publisher.away(true);
        append(toSend("a", "1"));
        work(relay);
        assertThat(relay.problem()).isPresent();
        publisher.away(false);
        work(elsewhere);
        assertThat(isEmpty()).isTrue();
        work(relay);

        assertThat(relay.problem()).isEmpty();
    }

    @Test
    void defectOfAPublisherIsNobodysFault() {
        Relay relay = relay().build();
        publisher.broken(true);
        append(toSend("a", "1"));
        work(relay);
        assertThat(relay.problem()).hasValueSatisfying(text -> assertThat(text).contains("a defect"));
        publisher.broken(false);

        assertThat(fixture.parked(relay.consumer())).isEmpty();
        Awaitility.await().until(() -> {
            work(relay);
            return isEmpty();
        });
        assertThat(publisher.payloads()).containsExactly("1");
    }

    @Test
    void whatIsConfirmedBeforeTheBrokerGoesAwayIsDeleted() {
        Relay relay = relay().build();
        append(toSend("a", "1"), toSend("b", "2"));
        publisher.refuse("never");
        work(relay);
        publisher.away(true);
        append(toSend("a", "3"));
        work(relay);

        assertThat(publisher.payloads()).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void nothingIsPublishedWhileItsConsumerIsPaused() {
        Relay relay = relay().build();
        append(toSend("a", "1"));
        fixture.pause(relay.consumer(), true);
        assertThat(work(relay)).isZero();
        assertThat(publisher.payloads()).isEmpty();

        fixture.pause(relay.consumer(), false);
        work(relay);
        assertThat(publisher.payloads()).containsExactly("1");
    }

    private void dieAt(CrashPoint point) {
        plan.at(point, plan.passages(point) + 1, () -> {
            throw new IllegalStateException("died");
        });
    }

    @Test
    void publishesAgainWithTheSameIdWhereItDiesBeforeTheCommit() {
        Relay relay = relay().build();
        append(toSend("a", "1"), toSend("a", "2"));
        dieAt(CrashPoint.BEFORE_COMMIT);
        assertThatThrownBy(() -> work(relay)).hasMessage("died");
        work(relay);

        assertThat(publisher.payloads()).containsExactly("1", "2", "1", "2");
        assertThat(publisher.published().get(0).id())
                .isEqualTo(publisher.published().get(2).id());
    }

    @Test
    void publishesNothingAgainWhereItDiesBehindTheCommit() {
        Relay relay = relay().build();
        append(toSend("a", "1"));
        dieAt(CrashPoint.AFTER_COMMIT);
        assertThatThrownBy(() -> work(relay)).hasMessage("died");
        work(relay);

        assertThat(publisher.payloads()).containsExactly("1");
    }

    @Test
    void severalRelaysPublishEachMessageOnceAndEachKeyInOrder() throws Exception {
        int keys = 20;
        int each = 20;
        for (int i = 0; i < each; i++) {
            int number = i;
            append(IntStream.range(0, keys)
                    .mapToObj(key -> toSend("k" + key, key + ":" + number))
                    .toArray(OutboxMessage[]::new));
        }
        List<Relay> relays = List.of(
                relay().batchSize(7).build(),
                relay().batchSize(7).build(),
                relay().batchSize(7).build());
        List<Future<Boolean>> working = new ArrayList<>();
        for (Relay relay : relays) {
            working.add(threads.start(() -> {
                while (!isEmpty()) {
                    workAsFarAsOthersAllow(relay);
                }
                return true;
            }));
        }
        for (Future<Boolean> one : working) {
            assertThat(one.get()).isTrue();
        }
        Map<String, List<String>> byKey = new HashMap<>();
        publisher
                .payloads()
                .forEach(payload -> byKey.computeIfAbsent(
                                payload.substring(0, payload.indexOf(':')), key -> new ArrayList<>())
                        .add(payload.substring(payload.indexOf(':') + 1)));
        assertThat(byKey).hasSize(keys);
        byKey.values()
                .forEach(numbers -> assertThat(numbers)
                        .containsExactlyElementsOf(IntStream.range(0, each)
                                .mapToObj(String::valueOf)
                                .toList()));
    }

    @Test
    void nodePublishesAtOnceWhatItsStoreHasCommitted() {
        Relay relay = builder(destination).build();
        try (Node node = Node.builder(store)
                .relay(relay)
                .pollInterval(Duration.ofMinutes(1))
                .start()) {
            Awaitility.await().until(() -> node.health().isHealthy());
            for (int i = 0; i < 5; i++) {
                append(toSend("k", "" + i));
                int published = i + 1;
                Awaitility.await()
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> publisher.payloads().size() == published);
            }
        }
        assertThat(publisher.payloads()).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void nodeTriesAgainWhatIsDueAndSaysWhyNothingIsPublished() {
        Relay relay = relay().retry(RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(1000))
                .build();
        publisher.refuse("1");
        append(toSend("k", "1"));
        try (Node node = Node.builder(store).relay(relay).start()) {
            Awaitility.await().until(() -> relay.refused() > 2);
            publisher.away(true);
            Awaitility.await().until(() -> !node.health().isHealthy());
            assertThat(node.health().toString()).contains(destination, "away");
            publisher.away(false);
            publisher.accept("1");
            Awaitility.await().until(() -> publisher.payloads().equals(List.of("1")));
            Awaitility.await().until(() -> node.health().isHealthy());
        }
    }

    @Test
    void nodeRefusesTwoRelaysOfOneDestinationAndOneOfAnotherStore() {
        Relay one = relay().build();
        Relay two = relay().build();
        assertThatThrownBy(() -> Node.builder(store).relay(one).relay(two))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(destination);
        assertThatThrownBy(() -> Node.builder(fixture.store()).relay(one))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("another store");
    }
}
