package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are busy for their own sake hold back those behind them of their key where an order per key is kept, and only there. */
class SetAsideTest {
    /** Behind the registration of the consumer: what is before that is not late. */
    private final Instant now = Instant.now().plus(Duration.ofMinutes(1));

    private final InMemoryStore store = InMemoryStore.create();
    private final CrashPlan plan = CrashPlan.none();

    private Inbox<InMemoryContext> inbox(KeyOrder order) {
        return Inbox.builder("payments", new CrashingStore<>(store, plan))
                .lateLimit(1)
                .order(order)
                .handle("payment", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("poison")) {
                        throw new PermanentFailure("never");
                    }
                })
                .build();
    }

    private static Message message(Instant created, String payload) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        return Message.builder("queue")
                .id(new UUID(high, random.getLeastSignificantBits()).toString())
                .type("payment")
                .orderingKey("k")
                .payload(payload)
                .build();
    }

    private static Outcome.Kind behind(KeyOrder order) {
        return order.isKept() ? Outcome.Kind.BUSY : Outcome.Kind.PROCESSED;
    }

    @ParameterizedTest
    @EnumSource(
            value = KeyOrder.class,
            names = {"NONE", "SKIP_DEAD_LETTERS"})
    void messageOfAFloodIsPassedByThoseOfItsKeyWhereNoOrderIsKept(KeyOrder order) {
        Inbox<InMemoryContext> inbox = inbox(order);
        store.ledgerBounds(now.plus(Duration.ofMinutes(10)), null);
        assertThat(inbox.process(message(now, "late")))
                .isInstanceOfSatisfying(
                        Outcome.Dead.class, dead -> assertThat(dead.reason()).isEqualTo(DeadReason.LATE));

        assertThat(inbox.process(
                        List.of(message(now, "one too many"), message(now.plus(Duration.ofMinutes(20)), "in time"))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.BUSY, behind(order));
    }

    /** It is before the one that is busy, and behind it stands only its repetition. */
    @ParameterizedTest
    @EnumSource(KeyOrder.class)
    void messageThatStandsTwiceIsNotHeldBackByWhatStandsBetween(KeyOrder order) {
        Inbox<InMemoryContext> inbox = inbox(order);
        store.ledgerBounds(now.plus(Duration.ofMinutes(10)), null);
        inbox.process(message(now, "late"));
        Instant inTime = now.plus(Duration.ofMinutes(20));
        Message twice = message(inTime, "1");

        assertThat(inbox.process(List.of(twice, message(inTime, "2"), message(now, "one too many"), twice)))
                .extracting(Outcome::kind)
                .containsExactly(
                        Outcome.Kind.PROCESSED, Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.DUPLICATE);
    }

    @ParameterizedTest
    @EnumSource(
            value = KeyOrder.class,
            names = {"NONE", "SKIP_DEAD_LETTERS"})
    void messageThatTheDatabaseRefusesToKeepIsPassedByThoseOfItsKeyWhereNoOrderIsKept(KeyOrder order) {
        Inbox<InMemoryContext> inbox = inbox(order);
        plan.always(CrashPoint.BEFORE_DEAD_LETTER, () -> {
            throw new StoreException(ErrorClass.MESSAGE, "the table does not take it", null);
        });

        assertThat(inbox.process(List.of(message(now, "poison"), message(now, "sound"))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.BUSY, behind(order));
    }
}
