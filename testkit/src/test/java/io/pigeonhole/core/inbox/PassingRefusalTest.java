package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the database refuses in passing, before any handler has run, makes no message a failure. */
class PassingRefusalTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final CrashPlan plan = CrashPlan.none();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", new CrashingStore<>(store, plan))
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    private static Message message(String id) {
        return Message.builder("queue").id(id).type("payment").payload(id).build();
    }

    /** As random digits may look. */
    private static Message farAhead() {
        long millis = Instant.now().plus(Duration.ofDays(1_000)).toEpochMilli();
        return message(new UUID(millis << 16 | 7L << 12, UUID.randomUUID().getLeastSignificantBits()).toString());
    }

    /** The first claim asks for its key in digest form, the second where the ledger ends. */
    @ParameterizedTest
    @EnumSource(ErrorClass.class)
    void messageWithATimeFarAheadIsNoDeadLetterWhereTheEndOfTheLedgerCouldNotBeAskedFor(ErrorClass errorClass) {
        Message message = farAhead();
        plan.at(CrashPoint.BEFORE_CLAIM, 2, () -> {
            throw new StoreException(errorClass, "the test says so", null);
        });

        assertThatThrownBy(() -> inbox.process(message)).isInstanceOf(RetryableException.class);
        assertThat(inbox.process(message).kind()).isEqualTo(Outcome.Kind.PROCESSED);
        assertThat(store.deadLetters("payments")).isEmpty();
    }

    @Test
    void claimWhoseTransactionHasEndedIsNoAttempt() {
        plan.always(CrashPoint.BEFORE_CLAIM, () -> {
            throw new StoreException(ErrorClass.ABORTED, "the test says so", null);
        });

        assertThatThrownBy(() -> inbox.process(message("1"))).isInstanceOf(RetryableException.class);
        assertThat(store.work("payments")).isEmpty();
    }
}
