package io.pigeonhole.testkit.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.UnknownConsumerException;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What people see. */
abstract class AdminReadTests<C extends HandlerContext> extends AdminLab<C> {
    AdminReadTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private List<MessageKey> found(WorkFilter filter) {
        return admin.work(filter, PageRequest.first(ALL)).entries().stream()
                .map(entry -> entry.message().key())
                .toList();
    }

    private List<MessageKey> found(DeadLetterFilter filter) {
        return admin.deadLetters(filter, PageRequest.first(ALL)).entries().stream()
                .map(letter -> letter.message().key())
                .toList();
    }

    @Test
    void summaryCountsMessagesByStatus() {
        receiveByLease(message(0));
        leased();
        received(2);
        park(message(1), LATER);
        deadLetter(message(2), message(3));

        assertThat(summary().received()).isEqualTo(2);
        assertThat(summary().parked()).isEqualTo(1);
        assertThat(summary().leased()).isEqualTo(1);
        assertThat(summary().dead()).isEqualTo(2);
        assertThat(summary().blocking()).isZero();
        assertThat(summary().paused()).isFalse();
    }

    @Test
    void summaryTellsForHowLongTheOldestIsDue() {
        assertThat(summary().overdue()).isNull();
        park(message(0), LATER);
        assertThat(summary().overdue()).isNull();

        fixture.advance(LATER.plusMinutes(5));
        assertThat(summary().overdue()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
    }

    @Test
    void unknownConsumerIsAnErrorThatNamesTheKnownOnes() {
        assertThatThrownBy(() -> admin.work(WorkFilter.of("nobody"), PageRequest.first(1)))
                .isInstanceOf(UnknownConsumerException.class)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("nobody")
                .hasMessageContaining(name());
        assertThatThrownBy(() -> admin.pause("nobody", ANN)).isInstanceOf(UnknownConsumerException.class);
        assertThatThrownBy(() -> admin.keyOf("nobody", "notes", MessageId.of("1")))
                .isInstanceOf(UnknownConsumerException.class);
    }

    @Test
    void keyOfAMessageFollowsFromItsSourceAndId() {
        Message message = message(0);
        assertThat(admin.keyOf(name(), message.source(), requireNonNull(message.id())))
                .isEqualTo(keyOf(message));
    }

    @Test
    void workIsListedInTheOrderOfArrival() {
        Message parked = message(0);
        park(parked, LATER);
        List<Message> received = received(2);

        assertThat(work())
                .extracting(entry -> entry.message().key())
                .containsExactly(keyOf(parked), keyOf(received.get(0)), keyOf(received.get(1)));
        assertThat(work())
                .extracting(WorkEntry::status)
                .containsExactly(MessageStatus.PARKED, MessageStatus.RECEIVED, MessageStatus.RECEIVED);
        assertThat(work().get(0).lastError()).contains("it failed");
        assertThat(work().get(0).message().payloadBytes()).isEqualTo(parked.payload().length);
    }

    @Test
    void workIsFoundByWhatIsKnownOfIt() {
        Message parked = ofKey("k");
        park(parked, LATER);
        received(1);
        WorkFilter all = WorkFilter.of(name());
        List<MessageKey> only = List.of(keyOf(parked));

        assertThat(found(all.withStatus(MessageStatus.PARKED))).isEqualTo(only);
        assertThat(found(all.withOrderingKey(orderingKey("k")))).isEqualTo(only);
        assertThat(found(all.withErrorContaining("IT FAILED"))).isEqualTo(only);
        assertThat(found(all.withErrorContaining("%"))).isEmpty();
        assertThat(found(all.withType("note").withSource("notes"))).hasSize(2);
        assertThat(found(all.withType("other"))).isEmpty();
        assertThat(found(all.withSource("other"))).isEmpty();
        Instant received = work().get(0).receivedAt();
        assertThat(found(all.withReceived(received, received.plusNanos(1_000)))).isEqualTo(only);
        assertThat(found(all.withReceived(null, received))).isEmpty();
    }

    @Test
    void lettersAreFoundByWhatIsKnownOfThem() {
        Message exhausted = ofKey("k");
        Message tooLarge = message(1);
        deadLetter(exhausted);
        deadLetterUnclaimed(tooLarge, DeadReason.TOO_LARGE);
        DeadLetterFilter all = DeadLetterFilter.of(name());

        assertThat(found(all.withReason(DeadReason.TOO_LARGE))).isEqualTo(keysOf(tooLarge));
        assertThat(found(all.withOrderingKey(orderingKey("k")))).isEqualTo(keysOf(exhausted));
        assertThat(found(all.withErrorContaining("For A Test"))).hasSize(2);
        assertThat(found(all.withErrorContaining("nothing like that"))).isEmpty();
        assertThat(found(all.withType("note").withSource("notes"))).hasSize(2);
        assertThat(found(all.withType("other"))).isEmpty();
        assertThat(found(all.withDied(letters().get(0).diedAt(), null))).isEqualTo(keysOf(tooLarge));
    }

    @Test
    void lettersThatDiedLastComeFirst() {
        deadLetter(message(0));
        Message last = message(1);
        deadLetter(last);

        DeadLetterEntry first = letters().get(0);
        assertThat(first.message().key()).isEqualTo(keyOf(last));
        assertThat(first.reason()).isEqualTo(DeadReason.RETRIES_EXHAUSTED);
        assertThat(first.claimed()).isTrue();
        assertThat(first.attempts()).isEqualTo(1);
        assertThat(first.diedAt()).isAfterOrEqualTo(letters().get(1).diedAt());
    }

    @Test
    void pagesShowEachLetterOnceWhileLettersComeAndGo() {
        Message[] messages = {message(0), message(1), message(2), message(3), message(4)};
        deadLetter(messages);
        List<MessageKey> seen = new ArrayList<>();
        PageRequest next = PageRequest.first(2);
        int pages = 0;
        while (pages < ALL) {
            Page<DeadLetterEntry> page = admin.deadLetters(DeadLetterFilter.of(name()), next);
            page.entries().forEach(letter -> seen.add(letter.message().key()));
            pages++;
            Cursor end = page.next();
            if (end == null) {
                break;
            }
            admin.discard(name(), seen.get(seen.size() - 1), ANN);
            deadLetter(message(pages));
            next = next.next(Cursor.parse(end.toString()));
        }
        assertThat(pages).isEqualTo(3);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(keysOf(messages));
    }

    /** Texts of different lengths go to different places of a database's temporary tables. */
    @Test
    void pagesKeepTheirOrderWhateverLengthTheErrorsHave() {
        List<Message> messages =
                IntStream.range(0, 500).mapToObj(StoreLab::message).toList();
        run(transaction -> {
            claimAll(transaction, messages);
            for (int i = 0; i < messages.size(); i++) {
                Message message = messages.get(i);
                String detail = "x".repeat(i % 7 == 0 ? 3_000 : i % 3 == 0 ? 900 : 5);
                DeadReason reason = DeadReason.RETRIES_EXHAUSTED;
                transaction.deadLetter(
                        consumer, List.of(new DeadLetter(keyOf(message), message, reason, detail, true, attempt())));
            }
        });
        List<MessageKey> seen = new ArrayList<>();
        List<Instant> died = new ArrayList<>();
        PageRequest next = PageRequest.first(10);
        Cursor end;
        do {
            Page<DeadLetterEntry> page = admin.deadLetters(DeadLetterFilter.of(name()), next);
            page.entries().forEach(letter -> {
                seen.add(letter.message().key());
                died.add(letter.diedAt());
            });
            end = page.next();
            next = end == null ? next : next.next(end);
        } while (end != null && seen.size() < 2 * messages.size());

        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        messages.stream().map(this::keyOf).toList());
        assertThat(died).isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void pagesShowEachMessageInWorkOnceWhileMessagesAreAdded() {
        List<Message> messages = received(3);
        Page<WorkEntry> first = admin.work(WorkFilter.of(name()), PageRequest.first(2));
        List<Message> later = received(1);
        Page<WorkEntry> second =
                admin.work(WorkFilter.of(name()), PageRequest.first(2).next(requireNonNull(first.next())));

        List<WorkEntry> both = new ArrayList<>(first.entries());
        both.addAll(second.entries());
        messages.addAll(later);
        assertThat(both).extracting(entry -> entry.message().key()).isEqualTo(keysOf(messages));
        assertThat(second.next()).isNull();
    }

    @Test
    void parkedMessageIsShownWithItsBytesAndAttempts() {
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .type("note")
                .orderingKey("k")
                .payload("payload")
                .build();
        park(message, LATER);
        MessageDetails details = shown(message);

        assertThat(details.status()).isEqualTo(MessageStatus.PARKED);
        Message shown = requireNonNull(details.message());
        assertThat(shown.payload()).isEqualTo(message.payload());
        assertThat(shown.id()).isEqualTo(message.id());
        assertThat(details.withPayload()).isTrue();
        assertThat(details.acceptedAt()).isNotNull();
        assertThat(details.deadLetter()).isNull();
        assertThat(details.attempts()).extracting(AttemptEntry::attempt).containsExactly(attempt());
        assertThat(details.audit()).isEmpty();
    }

    @Test
    void attemptsAreShownInTheirOrderWhateverBecameOfTheMessage() {
        Message message = message(0);
        park(message, Duration.ZERO);
        run(transaction ->
                transaction.postpone(consumer, List.of(failed(take(transaction).get(0), Duration.ZERO))));
        run(transaction -> transaction.finish(consumer, take(transaction)));

        assertThat(statusOf(message)).isEqualTo(MessageStatus.PROCESSED);
        assertThat(shown(message).attempts())
                .extracting(AttemptEntry::attempt)
                .extracting(FailedAttempt::number)
                .containsExactly(1, 2);
    }

    @Test
    void leaseIsShownWithItsOwner() {
        Message message = message(0);
        receiveByLease(message);
        leased();

        WorkEntry work = requireNonNull(shown(message).work());
        assertThat(work.status()).isEqualTo(MessageStatus.LEASED);
        assertThat(work.leaseOwner()).isEqualTo(NODE);
        assertThat(work.leaseUntil()).isNotNull();
    }

    @Test
    void deadLetterIsShownWithItsReason() {
        Message message = message(0);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);
        MessageDetails details = shown(message);

        assertThat(details.status()).isEqualTo(MessageStatus.DEAD);
        assertThat(details.acceptedAt()).isNull();
        assertThat(requireNonNull(details.deadLetter()).reason()).isEqualTo(DeadReason.TOO_LARGE);
        assertThat(requireNonNull(details.message()).payload()).isEqualTo(message.payload());
    }

    @Test
    void processedMessageIsShownAsFarAsLedgerAndHistoryKnowIt() {
        Message unrecorded = message(0);
        claimed(keyOf(unrecorded));
        Message recorded = message(1);
        run(transaction -> {
            claimAll(transaction, List.of(recorded));
            transaction.record(consumer, List.of(new FinishedMessage(keyOf(recorded), recorded, 1, false)));
        });

        assertThat(statusOf(unrecorded)).isEqualTo(MessageStatus.PROCESSED);
        assertThat(shown(unrecorded).message()).isNull();
        assertThat(statusOf(recorded)).isEqualTo(MessageStatus.PROCESSED);
        assertThat(shown(recorded).processedAt()).isNotNull();
        assertThat(requireNonNull(shown(recorded).message()).id()).isEqualTo(recorded.id());
        assertThat(shown(recorded).withPayload()).isFalse();
    }

    @Test
    void nothingIsShownOfAMessageThatNobodyKnows() {
        assertThat(admin.show(name(), key(0))).isEmpty();
    }
}
