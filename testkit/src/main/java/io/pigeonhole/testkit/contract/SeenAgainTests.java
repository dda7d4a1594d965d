package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.DeadAgain;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.DeadReason;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Messages that come again: with another payload, or after they were given up on. */
abstract class SeenAgainTests<C extends HandlerContext> extends FlowLab<C> {
    SeenAgainTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void otherPayloadIsAConflictAndKeptWithItsBytes() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.opaque();
        inbox.process(message(id, "one"));

        assertThat(inbox.process(message(id, "one")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(inbox.process(message(id, "two")).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(dead()).containsExactly("two CONFLICT");
        assertThat(fixture.effects()).containsExactly("one");
        assertThat(fixture.seenAgain(
                        consumer, fixture.deadLetters(consumer).get(0).key()))
                .isEqualTo(1);
    }

    @Test
    void conflictAndDuplicateInOneBatchAreToldApart() {
        Inbox<C> inbox = flow().detectConflicts().build();
        String id = Ids.opaque();
        List<Message> messages = List.of(message(id, "one"), message(id, "two"), message(id, "one"));

        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.CONFLICT, Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("one");
    }

    @Test
    void otherPayloadIsADuplicateWhereNobodyAsks() {
        Inbox<C> inbox = flow().build();
        String id = Ids.opaque();

        assertThat(kinds(inbox.process(List.of(message(id, "one"), message(id, "two")))))
                .containsExactly(Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(inbox.process(message(id, "three")).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(dead()).isEmpty();
    }

    @Test
    void deadLetterThatComesAgainStaysDeadAndIsCounted() {
        Inbox<C> inbox = flow().retry(RETRY.maxAttempts(1)).build();
        fail("x", 1);
        Message message = message("x");
        inbox.process(message);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.seenAgain(consumer, keyOf(inbox, message))).isEqualTo(1);
        assertThat(workLater(inbox)).isZero();
        assertThat(dead()).containsExactly("x " + DeadReason.RETRIES_EXHAUSTED);
    }

    @Test
    void deadLetterThatComesAgainGoesBackToWorkAndItsWorkersAreTold() {
        Inbox<C> inbox =
                flow().retry(RETRY.maxAttempts(2)).deadAgain(DeadAgain.REOPENED).build();
        fail("x", 3);
        Message message = message("x");
        inbox.process(message);
        workLater(inbox);
        assertThat(dead()).hasSize(1);
        Set<Backlog.Due> told = new HashSet<>();
        inbox.whenWorkIsStored(told::addAll);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        int lane = inbox.registered().laneOf(message, keyOf(inbox, message));
        assertThat(told).contains(new Backlog.Due(inbox.registered(), Backlog.Kind.ORDINARY, lane, Duration.ZERO));
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(parked()).containsExactly("x");
        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(runs).containsExactly("x 1", "x 2", "x 3", "x 4");
        assertThat(dead()).isEmpty();
    }
}
