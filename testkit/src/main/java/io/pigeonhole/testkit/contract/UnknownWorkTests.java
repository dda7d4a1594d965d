package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.MessageStatus;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs of one consumer that handle different types, as during a deployment. */
abstract class UnknownWorkTests<C extends HandlerContext> extends FlowLab<C> {
    private static final String NEW = "new";

    UnknownWorkTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private InboxBuilder<C> newer(KeyOrder order) {
        return ordered(order).handle(NEW, PayloadDecoder.text(), this::run);
    }

    private List<WorkEntry> work() {
        return Admin.of(fixture.adminStore())
                .work(WorkFilter.of(consumer), PageRequest.first(10))
                .entries();
    }

    @ParameterizedTest
    @EnumSource(UnknownType.class)
    @Tag("A13")
    void parkedMessageOfATypeThatOnlyANewerProgramKnowsWaitsForIt(UnknownType policy) {
        Inbox<C> newer = newer(KeyOrder.NONE).build();
        Inbox<C> older = ordered(KeyOrder.NONE)
                .unknownType(policy)
                .retry(RetryPolicy.never())
                .payloadLimit(2)
                .build();
        fail("news", 1);
        newer.process(typed("k", NEW, "news"));
        workLater(older);

        assertThat(dead()).isEmpty();
        assertThat(parked()).containsExactly("news");
        assertThat(work()).singleElement().satisfies(entry -> {
            assertThat(entry.attempts()).isEqualTo(1);
            assertThat(entry.lastError()).contains("no handler for type 'new'");
        });
        workLater(older);
        workLater(newer);
        assertThat(fixture.effects()).containsExactly("news");
        assertThat(runs).containsExactly("news 1", "news 2");
    }

    @Test
    @Tag("A13")
    void receivedMessageOfAnUnknownTypeIsParkedAndTellsWhyItWaits() {
        Inbox<C> newer = newer(KeyOrder.NONE)
                .handleExternal("call", PayloadDecoder.text(), (payload, context) -> Completion.nothing())
                .build();
        newer.receive(List.of(typed("k", NEW, "news"), typed("k", "call", "called")));
        ordered(KeyOrder.NONE).build().work();

        assertThat(work()).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.status()).isEqualTo(MessageStatus.PARKED);
            assertThat(entry.attempts()).isZero();
            assertThat(entry.lastError()).contains("no handler for type");
        });
    }

    @Test
    @Tag("A13")
    void messageOfAnUnknownTypeBlocksItsKey() {
        Inbox<C> newer = newer(KeyOrder.SKIP_DEAD_LETTERS).build();
        Inbox<C> older = ordered(KeyOrder.SKIP_DEAD_LETTERS).build();
        newer.receive(List.of(typed("k", NEW, "k1"), typed("k", TYPE, "k2"), typed("l", TYPE, "l1")));
        older.work();
        workLater(older);
        assertThat(fixture.effects()).containsExactly("l1");

        workLater(newer);
        assertThat(effectsOf("k")).containsExactly("k1", "k2");
    }

    @Test
    @Tag("A13")
    void leasedMessageOfAnUnknownTypeCountsNoAttempt() {
        Inbox<C> newer = builder()
                .handleExternal(
                        NEW,
                        PayloadDecoder.text(),
                        (payload, context) -> database -> fixture.write(database, payload + " " + context.attempt()))
                .build();
        Inbox<C> older = flow().build();
        newer.process(typed("k", NEW, "news"));
        older.work();
        workLater(older);
        assertThat(fixture.deadLetters(consumer)).isEmpty();

        fixture.advance(Duration.ofHours(1));
        newer.work();
        assertThat(fixture.effects()).containsExactly("news 1");
    }

    @Test
    @Tag("A13")
    void leaseOfAnUnknownTypeThatRanOutIsAnAttemptAndNoDeadLetter() {
        Inbox<C> older = flow().retry(RetryPolicy.never()).build();
        Inbox<C> newer = builder()
                .handleExternal(NEW, PayloadDecoder.text(), (payload, context) -> {
                    fixture.advance(Duration.ofMinutes(5));
                    older.work();
                    return database -> fixture.write(database, payload + " " + context.attempt());
                })
                .build();
        newer.process(typed("k", NEW, "news"));
        newer.work();

        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(fixture.effects()).isEmpty();
        assertThat(work())
                .singleElement()
                .satisfies(entry -> assertThat(entry.attempts()).isEqualTo(1));
    }

    @Test
    @Tag("A13")
    void killerBesideAProgramThatDoesNotKnowItsTypeDiesOfTheSameLimitOfAttempts() {
        List<Integer> attempts = new ArrayList<>();
        Inbox<C> newer = builder()
                .workPartitions(1)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(3))
                .handleExternal(NEW, PayloadDecoder.text(), (payload, context) -> {
                    attempts.add(context.attempt());
                    return Completion.nothing();
                })
                .build();
        Inbox<C> older = flow().workPartitions(1).build();
        Message killer = typed("k", NEW, "killer");
        newer.process(killer);
        for (int kills = 0; kills < 3; kills++) {
            leaseAndDie(newer);
            fixture.advance(Duration.ofHours(1));
            older.work();
            fixture.advance(Duration.ofHours(1));
        }
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        newer.work();

        assertThat(attempts).isEmpty();
        assertThat(dead()).containsExactly("killer RETRIES_EXHAUSTED");
        assertThat(fixture.attempts(consumer, keyOf(newer, killer))).hasSize(3);
        Admin.of(fixture.adminStore())
                .requeue(consumer, keyOf(newer, killer), Requeue.atOnce(), new Author("ann", "it is mended"));
        newer.work();
        assertThat(attempts).hasSize(1);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    @Tag("A13")
    void waitingForAProgramIsNoAttempt() {
        Inbox<C> newer = newer(KeyOrder.NONE)
                .handleExternal("call", PayloadDecoder.text(), (payload, context) -> Completion.nothing())
                .build();
        Inbox<C> older = flow().workPartitions(2).build();
        Message parked = typed("k", NEW, "parked");
        Message leased = typed("k", "call", "leased");
        fail("parked", 1);
        newer.process(List.of(parked, leased));
        for (int looks = 0; looks < 4; looks++) {
            fixture.advance(Duration.ofHours(1));
            older.work();
        }

        assertThat(work()).hasSize(2);
        assertThat(work())
                .filteredOn(entry -> entry.attempts() == 1)
                .singleElement()
                .satisfies(entry -> assertThat(entry.lastError()).contains("no handler for type 'new'"));
        assertThat(fixture.attempts(consumer, keyOf(newer, parked)))
                .hasSize(1)
                .allMatch(text -> text.contains("no parked"));
        assertThat(fixture.attempts(consumer, keyOf(newer, leased))).isEmpty();
    }

    private void leaseAndDie(Inbox<C> program) {
        try (InboxTransaction<C> transaction = store.begin(Duration.ofMinutes(1))) {
            assertThat(transaction.enter(program.registered(), 0)).isTrue();
            assertThat(transaction.lease(program.registered(), 0, 1, "killed", Duration.ofSeconds(30)))
                    .hasSize(1);
            transaction.commit();
        }
    }
}
