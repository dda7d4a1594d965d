package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer.Kind;
import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.LeaseReleasedException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What people decide about a message or a consumer. */
abstract class AdminChangeTests<C extends HandlerContext> extends AdminLab<C> {
    AdminChangeTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Message parkedForLater() {
        Message message = message(0);
        park(message, LATER);
        return message;
    }

    @Test
    void parkedMessageIsRetriedNow() {
        MessageKey key = keyOf(parkedForLater());
        assertThat(available()).isEmpty();

        assertThat(admin.retryNow(name(), key, ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(key);
        assertThat(only().attempts()).isEqualTo(1);
    }

    @Test
    void messageThatIsDueIsNotMadeDueAgain() {
        MessageKey key = keyOf(received(1).get(0));

        assertThat(admin.retryNow(name(), key, ANN).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(audit()).isEmpty();
    }

    @Test
    void leasedMessageIsNotRetried() {
        receiveByLease(message(0));
        MessageKey key = leased().key();

        assertThat(admin.retryNow(name(), key, ANN).kind()).isEqualTo(Kind.LEASED);
        assertThat(admin.retryNow(name(), key, ANN).detail()).contains(NODE);
        assertThat(audit()).isEmpty();
    }

    @Test
    void deadLetterIsNotInWork() {
        Message message = message(0);
        deadLetter(message);

        assertThat(admin.retryNow(name(), keyOf(message), ANN).kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(admin.releaseLease(name(), keyOf(message), ANN).kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(audit()).isEmpty();
    }

    @Test
    void messagesOfOtherConsumersAreLeftAlone() {
        MessageKey key = keyOf(parkedForLater());
        consumer = register(KeyOrder.NONE);

        assertThat(admin.retryNow(name(), key, ANN).kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(admin.discard(name(), key, ANN).kind()).isEqualTo(Kind.NOT_FOUND);
    }

    @Test
    void releasedLeaseFencesItsHolder() {
        receiveByLease(message(0));
        WorkItem held = leased();

        assertThat(admin.releaseLease(name(), held.key(), ANN).kind()).isEqualTo(Kind.DONE);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.hold(consumer, held)).isFalse();
        }
        WorkItem next = leased();
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(next.attempts()).isEqualTo(2);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.hold(consumer, held)).isFalse();
            assertThat(transaction.hold(consumer, next)).isTrue();
        }
    }

    @Test
    void releasedLeaseIsNotedAsAFailedAttempt() {
        Message message = message(0);
        receiveByLease(message);
        leased();
        admin.releaseLease(name(), keyOf(message), ANN);

        assertThat(statusOf(message)).isEqualTo(MessageStatus.PARKED);
        AttemptEntry attempt = shown(message).attempts().get(0);
        assertThat(attempt.attempt().number()).isEqualTo(1);
        assertThat(attempt.attempt().node()).isEqualTo(NODE);
        assertThat(attempt.attempt().errorClass()).isEqualTo(LeaseReleasedException.class.getName());
        assertThat(attempt.attempt().message()).contains(NODE).contains("ann").contains("the bank is back");
    }

    @Test
    void thereIsNoLeaseToReleaseOnAParkedMessage() {
        assertThat(admin.releaseLease(name(), keyOf(parkedForLater()), ANN).kind())
                .isEqualTo(Kind.NOT_LEASED);
        assertThat(audit()).isEmpty();
    }

    @Test
    void anotherDeliveryOfADiscardedMessageIsADuplicate() {
        Message message = parkedForLater();

        assertThat(admin.discard(name(), keyOf(message), ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(work()).isEmpty();
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
        assertThat(statusOf(message)).isEqualTo(MessageStatus.DISCARDED);
        assertThat(admin.discard(name(), keyOf(message), ANN).kind()).isEqualTo(Kind.NOT_FOUND);
    }

    @Test
    void whoeverHasALeaseCannotFinishADiscardedMessage() {
        receiveByLease(message(0));
        WorkItem held = leased();

        assertThat(admin.discard(name(), held.key(), ANN).kind()).isEqualTo(Kind.DONE);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.hold(consumer, held)).isFalse();
        }
    }

    @Test
    void discardedDeadLetterIsGoneAndStaysKnown() {
        Message message = message(0);
        deadLetter(message);

        assertThat(admin.discard(name(), keyOf(message), ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(letters()).isEmpty();
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
        assertThat(statusOf(message)).isEqualTo(MessageStatus.DISCARDED);
    }

    @Test
    void discardedLetterThatWasNeverClaimedIsJudgedAnew() {
        Message message = message(0);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);
        admin.discard(name(), keyOf(message), ANN);
        assertThat(statusOf(message)).isEqualTo(MessageStatus.DISCARDED);

        assertThat(claimed(keyOf(message)).claimed()).containsExactly(keyOf(message));
        assertThat(statusOf(message)).isEqualTo(MessageStatus.PROCESSED);
    }

    @Test
    void messageThatAWorkerHasTakenIsBusy() {
        MessageKey key = keyOf(received(1).get(0));
        try (InboxTransaction<C> transaction = begin()) {
            take(transaction);
            assertThat(admin.discard(name(), key, ANN).kind()).isEqualTo(Kind.BUSY);
        }
        assertThat(available()).containsExactly(key);
        assertThat(audit()).isEmpty();
    }

    @Test
    void pausedConsumerClaimsTakesAndLeasesNothingUntilItIsResumed() {
        MessageKey due = keyOf(received(1).get(0));
        MessageKey fresh = key(1);

        assertThat(admin.pause(name(), ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(admin.pause(name(), ANN).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(summary().paused()).isTrue();
        assertThat(store.due(List.of(consumer))).isEmpty();
        assertThat(takenByAWorker()).isEmpty();
        assertThatThrownBy(() -> claimed(fresh)).isInstanceOf(ConsumerPausedException.class);

        assertThat(admin.resume(name(), ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(admin.resume(name(), ANN).kind()).isEqualTo(Kind.UNCHANGED);
        assertThat(summary().paused()).isFalse();
        assertThat(store.due(List.of(consumer))).isNotEmpty();
        assertThat(available()).containsExactly(due);
        assertThat(claimed(fresh).claimed()).containsExactly(fresh);
        assertThat(actions()).containsExactly(AdminAction.RESUME, AdminAction.PAUSE);
    }

    /** What a worker could take that comes in as workers do, whether there is an order or not. */
    private List<WorkItem> takenByAWorker() {
        try (InboxTransaction<C> transaction = begin()) {
            return transaction.enter(consumer, 0) ? take(transaction) : List.of();
        }
    }

    @Test
    void pausedConsumerWithAnOrderTakesAndLeasesNothing() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        receive(ofKey("k"));
        receiveByLease(ofKey("l"));
        admin.pause(name(), ANN);
        assertThat(available()).isEmpty();
        assertThat(leasable()).isEmpty();

        admin.resume(name(), ANN);
        assertThat(available()).hasSize(1);
        assertThat(leasable()).hasSize(1);
    }

    @Test
    void peopleMayDecideWhileAConsumerIsPaused() {
        Message parked = parkedForLater();
        Message dead = message(1);
        deadLetterUnclaimed(dead, DeadReason.TOO_LARGE);
        admin.pause(name(), ANN);

        assertThat(admin.retryNow(name(), keyOf(parked), ANN).kind()).isEqualTo(Kind.DONE);
        assertThat(admin.requeue(name(), keyOf(dead), Requeue.atOnce(), ANN).kind())
                .isEqualTo(Kind.DONE);
    }

    @Test
    void auditTellsWhoWhenAndWhy() {
        Message message = parkedForLater();
        admin.retryNow(name(), keyOf(message), ANN);
        admin.discard(name(), keyOf(message), new Author("bob", "test \0 data \uD800"));

        AuditEntry last = audit().get(0);
        assertThat(last.action()).isEqualTo(AdminAction.DISCARD);
        assertThat(last.author().who()).isEqualTo("bob");
        assertThat(last.author().reason()).startsWith("test \uFFFD data ");
        assertThat(last.consumer()).isEqualTo(name());
        assertThat(last.key()).isEqualTo(keyOf(message));
        assertThat(last.affected()).isEqualTo(1);
        assertThat(last.detail()).contains(String.valueOf(message.id())).contains("it failed");
        assertThat(last.at()).isAfterOrEqualTo(audit().get(1).at());
        assertThat(audit().get(1).author()).isEqualTo(ANN);
        assertThat(shown(message).audit())
                .extracting(AuditEntry::action)
                .containsExactly(AdminAction.RETRY_NOW, AdminAction.DISCARD);
    }

    @Test
    void auditComesInPages() {
        admin.pause(name(), ANN);
        admin.resume(name(), ANN);
        var first = admin.audit(name(), PageRequest.first(1));
        var second = admin.audit(name(), PageRequest.first(1).next(Objects.requireNonNull(first.next())));

        assertThat(first.entries()).extracting(AuditEntry::action).containsExactly(AdminAction.RESUME);
        assertThat(second.entries()).extracting(AuditEntry::action).containsExactly(AdminAction.PAUSE);
        assertThat(second.next()).isNull();
    }

    @Test
    void changeWithoutAReasonIsRefused() {
        assertThatThrownBy(() -> new Author("ann", " ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Author("", "why")).isInstanceOf(IllegalArgumentException.class);
    }
}
